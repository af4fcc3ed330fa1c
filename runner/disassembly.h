#pragma once

#include <cstdint>
#include <string>

namespace lightmetal::runner {

// Has objdump say what is in kernel objects, within limits for all of them together. An object may
// be nonsense, of which objdump can make much text and take long. Not thread-safe.
class Disassembler {
 public:
  // Writes what objdump says of the object's code to `output`, a new file with the object's rights,
  // in at most `most_bytes`. Returns the file's size, or 0 and leaves no file if there is no
  // objdump in PATH, if objdump fails, or if it needs more than what is left of the limits.
  // objdump runs in a process of its own, with limits of time, memory and output.
  uint64_t disassemble(const std::string& object, const std::string& output, uint64_t most_bytes);

 private:
  double seconds_left_ = 30;  // of processor time
};

}  // namespace lightmetal::runner
