#pragma once

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

// A command for the shell in which `file` stands for each {}, or behind all, in quotes.
std::string with_file(const std::string& command, const std::string& file);

// Runs the command by /bin/sh, in a process group of its own, and waits for its end. Standard
// output is dropped. Cancelled when the user ends this process meanwhile (SIGINT, SIGTERM, SIGHUP),
// which ends the command, too. REQUIRES: this process has one thread.
absl::StatusOr<ShellResult> run_shell(const std::string& command,
                                      std::chrono::duration<double> limit);

}  // namespace lightmetal::runner
