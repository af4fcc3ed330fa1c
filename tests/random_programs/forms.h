#pragma once

#include <functional>
#include <tt-metalium/lightmetal_binary.hpp>

namespace random_programs {

struct FormOptions {
  // The program reads memory that it did not write, which an optimised file need not have.
  bool reads_old_memory = false;
  // Captures the program again while its buffers are at other addresses. Null for a program whose
  // two captures may differ in the order of their commands.
  std::function<tt::tt_metal::LightMetalBinary()> capture_elsewhere = nullptr;
};

// Checks what tools make of a captured file: lines and the same file of them, an optimised file,
// trimmed files, a checkpoint, a relocated file. Each file that is not refused must replay. Ends
// the process at the first fault.
void check_forms(const tt::tt_metal::LightMetalBinary& file, const FormOptions& options);

}  // namespace random_programs
