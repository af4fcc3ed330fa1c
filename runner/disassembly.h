#pragma once

#include <string>

namespace lightmetal::runner {

// Writes what objdump says of the object's code to `output`, a new file with the object's rights.
// False, and no file, when there is no objdump in PATH, or it fails. The object may be anything:
// objdump runs in a process of its own, with limits of time, memory and output.
bool disassemble(const std::string& object, const std::string& output);

}  // namespace lightmetal::runner
