#pragma once

#include <signal.h>

#include <cstddef>
#include <string>

// Files are mapped, and what is read of a mapped file that has meanwhile been cut short, or whose
// disk fails, raises SIGBUS.
namespace lightmetal::runner {

// From now on such a signal ends the process with one line that names `file`, which is printable,
// and exit code 2. A handler that is installed later goes first (the device's, for its kernels; the
// sandbox's).
void report_loss_of(const std::string& file);

// For such a handler. Whether the signal is about the loss of a file; and the line, raw.
bool is_loss_of_file(int signal, const siginfo_t& info);
[[noreturn]] void end_with_loss_of_file();

// Writes to standard error in a process that may be broken: nothing of the thread's is used.
void write_raw(const char* text, size_t size);

}  // namespace lightmetal::runner
