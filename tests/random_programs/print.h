#pragma once

#include <string>

#include "tests/random_programs/steps.h"

namespace random_programs {

// A step as it stands in a C++ program: {0, 0, Finish{.queue = {0, 1}, .whole_device = false}}.
std::string text_of(const Step& step);

// A C++ program that runs the steps; it needs the host API's headers and nothing else of ours. It
// captures itself where the steps say so. Throws std::runtime_error when our sources are not there.
std::string program_text(const Steps& steps);

}  // namespace random_programs
