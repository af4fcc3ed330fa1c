#pragma once

#include <signal.h>
#include <sys/resource.h>
#include <time.h>

#include <initializer_list>

namespace lightmetal::schema {

// Keeps signals of writes away from the thread while it lives. A write past the limit of file sizes
// (RLIMIT_FSIZE) and one to a pipe that nobody reads raise a signal that ends the process; a
// capture must not harm the program, so it wants the error alone. Signals that a write has raised
// are taken away at the end; signals that were pending before stay. Async-signal-safe.
class WriteSignalBlock {
 public:
  WriteSignalBlock() {
    sigset_t pending;
    sigpending(&pending);
    sigset_t all;
    sigemptyset(&all);
    sigemptyset(&own_);
    for (const int signal : {SIGXFSZ, SIGPIPE}) {
      sigaddset(&all, signal);
      if (sigismember(&pending, signal) == 0) sigaddset(&own_, signal);
    }
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~WriteSignalBlock() {
    const timespec at_once = {};
    while (sigtimedwait(&own_, nullptr, &at_once) > 0) continue;
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WriteSignalBlock(const WriteSignalBlock&) = delete;
  WriteSignalBlock& operator=(const WriteSignalBlock&) = delete;

 private:
  sigset_t own_;  // those that were not pending before: pending at the end, they are our own
  sigset_t before_;
};

inline bool file_size_is_limited() {
  rlimit limit = {};
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

}  // namespace lightmetal::schema
