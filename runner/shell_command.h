#pragma once

#include <signal.h>

#include <chrono>
#include <string>

#include "absl/status/statusor.h"

namespace lightmetal::runner {

// What became of a command.
struct ShellResult {
  int exit_code = 0;       // 128 + N when signal N ended it, as a shell says it
  bool timed_out = false;  // it was ended, with all that it had started
  std::string errors;      // the beginning of its standard error
};

// While it lives, a signal by which the user ends this process (SIGINT, SIGTERM, SIGHUP) waits for
// the next run_shell(), which reports it: so there is time to clean up. REQUIRES: this process has
// one thread.
class UserSignals {
 public:
  UserSignals();
  ~UserSignals();
  UserSignals(const UserSignals&) = delete;
  UserSignals& operator=(const UserSignals&) = delete;

  const sigset_t& set() const { return set_; }  // with SIGCHLD
  const sigset_t& mask_before() const { return mask_before_; }

 private:
  sigset_t set_;
  sigset_t mask_before_;
};

// A command for the shell in which `file` stands for each {}, or behind all, in quotes.
std::string with_file(const std::string& command, const std::string& file);

// Runs the command by /bin/sh, in a process group of its own, and waits for its end. Standard
// output is dropped. Cancelled when one of `signals` comes, which ends the command, too.
absl::StatusOr<ShellResult> run_shell(const std::string& command,
                                      std::chrono::duration<double> limit,
                                      const UserSignals& signals);

}  // namespace lightmetal::runner
