#pragma once

#include <signal.h>

#include <cstddef>
#include <string>

// The runner maps files. When a mapped file is cut short meanwhile, or its disk fails, reading it
// raises SIGBUS.
namespace lightmetal::runner {

// From now on such a signal ends the process with one line that names `file`, which is printable,
// and exit code 2. A handler that is installed later goes first (the device's, for its kernels; the
// sandbox's).
void report_loss_of(const std::string& file);

// For such a handler: whether the signal says that the file is lost; and the end of the process,
// with that line.
bool is_loss_of_file(int signal, const siginfo_t& info);
[[noreturn]] void end_with_loss_of_file();

// Writes to standard error, in a process whose memory may be broken: by the system call itself.
void write_raw(const char* text, size_t size);

}  // namespace lightmetal::runner
