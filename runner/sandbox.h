#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runner/command_line.h"

// `run --sandbox`: what a file executes can reach its device's memory and the outputs that are
// open, and nothing else of the system. docs/security.md says what that is worth.
namespace lightmetal::runner {

enum class SandboxMode {
  kOff,
  kStrict,     // all of it, or an error
  kBestEffort  // what this system has; the rest is warned about
};

void add_sandbox_option(cxxopts::Options& options);
// Throws for a value that is none.
SandboxMode sandbox_mode(const cxxopts::ParseResult& arguments);

// For one process: check_backend(); prepare() before its first device is opened, enter() once
// everything is open.
class Sandbox {
 public:
  explicit Sandbox(SandboxMode mode) : mode_(mode) {}

  // Whether the sandbox holds kernels of this backend; those of a backend's library it does not.
  absl::Status check_backend(const std::string& backend);

  // Kernels are loaded where the filter can tell them from other code, and may write to their
  // device's memory alone where the processor has protection keys.
  absl::Status prepare();

  // From now on, and for good, this process can open no file, socket or program, and reach no other
  // process (Landlock, seccomp). A system call that is not allowed is not made; one that a kernel
  // makes fails its launch with a text that names both. For other code, opening a file fails; any
  // other call that is not allowed, and a crash of any kind, ends the process with a line on
  // standard error and exit code 2.
  // REQUIRES: prepare() was called; the process has one thread.
  absl::Status enter();

  bool is_on() const { return mode_ != SandboxMode::kOff; }

  // What a best effort could not do, and that there are no protection keys; one clause each.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  absl::Status require(absl::Status status);

  const SandboxMode mode_;
  uint64_t code_begin_ = 0;
  std::vector<std::string> warnings_;
};

}  // namespace lightmetal::runner
