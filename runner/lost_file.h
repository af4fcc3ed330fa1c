#pragma once

#include <signal.h>

#include <cstddef>
#include <string>

// What the runner does when a file that it has mapped is lost. When such a file is cut short
// meanwhile, or its disk fails, reading it raises SIGBUS.
namespace lightmetal::runner {

// From now on such a signal ends the process with exit code 2 and one line that names `file`, which
// is printable. A handler that is installed later goes first (the device's, for its kernels; the
// sandbox's). May be called again while the signal may come. One thread at a time calls it.
void report_loss_of(const std::string& file);

// For such a handler: whether the signal says that the file is lost; and the end of the process,
// with that line. Both are async-signal-safe.
bool is_loss_of_file(int signal, const siginfo_t& info);
[[noreturn]] void end_with_loss_of_file();

// Writes to standard error by the system call itself, in a process whose memory may be broken.
// Async-signal-safe.
void write_raw(const char* text, size_t size);

}  // namespace lightmetal::runner
