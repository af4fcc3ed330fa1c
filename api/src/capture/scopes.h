#pragma once

#include <string>
#include <vector>

namespace tt::tt_metal {

// The names of the scopes that are open, the outermost first. Thread-safe.
std::vector<std::string> open_scopes();

}  // namespace tt::tt_metal
