#pragma once

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>

// Stops a child before a certain one of its writes, by ptrace: where a capture stands then differs
// from write to write, which no pause can promise.
namespace lightmetal::testing {

// In the child, before it becomes the program. False where processes may not be traced.
inline bool let_parent_trace() { return ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0; }

// A child between let_parent_trace() and its end. Only its first thread is stopped and counted.
class TracedChild {
 public:
  explicit TracedChild(pid_t child) : child_(child) {
    wait();
    if (stopped()) ptrace(PTRACE_SETOPTIONS, child_, nullptr, PTRACE_O_TRACESYSGOOD);
  }

  // Lets it run up to its next writev, as captures write; false when it ended before.
  bool run_to_write() {
    while (stopped()) {
      ptrace(PTRACE_SYSCALL, child_, nullptr, signal_to_deliver());
      wait();
      if (stopped() && enters_writev()) return true;
    }
    return false;
  }

  // Lets it run on, untraced. REQUIRES: it is stopped.
  void release() { ptrace(PTRACE_DETACH, child_, nullptr, nullptr); }

  // As waitpid gives it, once the child has ended.
  int status() const { return status_; }

 private:
  static constexpr int kSystemCall = SIGTRAP | 0x80;

  bool stopped() const { return WIFSTOPPED(status_); }
  void wait() { waitpid(child_, &status_, 0); }

  // What stopped it, unless that was the tracing itself.
  long signal_to_deliver() const {
    const int signal = WSTOPSIG(status_);
    return signal == kSystemCall || signal == SIGTRAP ? 0 : signal;
  }

  bool enters_writev() const {
    if (WSTOPSIG(status_) != kSystemCall) return false;
    __ptrace_syscall_info info{};
    ptrace(PTRACE_GET_SYSCALL_INFO, child_, sizeof(info), &info);
    return info.op == PTRACE_SYSCALL_INFO_ENTRY && info.entry.nr == SYS_writev;
  }

  const pid_t child_;
  int status_ = 0;
};

}  // namespace lightmetal::testing
