#pragma once

#include <string>

namespace lightmetal::device {

// The name of a system call of this machine, such as "openat", for messages. The table knows those
// calls that reach files, the network, other processes and the rights of memory; the result is null
// for any other call. Safe in a signal handler.
const char* known_name_of_system_call(int number);

// The same name, or "number 1234" for a call that the table does not know.
std::string name_of_system_call(int number);

}  // namespace lightmetal::device
