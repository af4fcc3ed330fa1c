#pragma once

#include <string>

namespace lightmetal::device::cpu {

// "openat"; "number 1234" for one that has no name here.
std::string name_of_system_call(int number);

}  // namespace lightmetal::device::cpu
