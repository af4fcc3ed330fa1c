#pragma once

#include <string>

#include "tests/random_programs/surface.h"

namespace random_programs {

// A step as the text of C++: {0, 0, Finish{.queue = {0, 1}, .whole_device = false}}.
std::string text_of(const Step& step);

// Returns the text of a C++ program that takes the steps. The program needs the headers of the host
// API and no others of the project, and captures itself where the steps say so. Throws
// std::runtime_error when the project's sources are not there.
std::string program_text(const RandomProgram& program);

}  // namespace random_programs
