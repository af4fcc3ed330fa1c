#pragma once

#include <string>

// Files are mapped, and what is read of a mapped file that has meanwhile been cut short, or whose
// disk fails, raises SIGBUS.
namespace lightmetal::runner {

// From now on such a signal ends the process with one line that names `file`, and exit code 2. A
// handler that is installed later goes first (the device's, for its kernels; the sandbox's).
void report_loss_of(const std::string& file);

}  // namespace lightmetal::runner
