#pragma once

#include <string>

namespace lightmetal::device {

// "openat"; null for one that has no name here. Safe in a signal handler.
const char* known_name_of_system_call(int number);

// "openat"; "number 1234" for one that has no name here.
std::string name_of_system_call(int number);

}  // namespace lightmetal::device
