#pragma once

#include <string>

namespace lightmetal::bench {

// What a command prints that succeeds. Throws when it cannot be run, or fails.
std::string printed_by(const std::string& command);

}  // namespace lightmetal::bench
