#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runner/command_line.h"

// `run --sandbox`: what a file executes can reach the memory of its device and the outputs that are
// open, and nothing else of the system. docs/security.md says what that is worth, and what it is
// not.
namespace lightmetal::runner {

enum class SandboxMode {
  kOff,
  kStrict,     // all of it, or an error
  kBestEffort  // what this system has; the rest is warned about
};

void add_sandbox_option(cxxopts::Options& options);
// The mode that the option asks for. Throws for a value that is none.
SandboxMode sandbox_mode(const cxxopts::ParseResult& arguments);

// The sandbox of this process. Called in this order: check_backend(); prepare() before the first
// device is opened; enter() once everything is open. It cannot be left.
class Sandbox {
 public:
  explicit Sandbox(SandboxMode mode) : mode_(mode) {}

  // OK when the sandbox holds kernels of this backend. It does not hold those of a backend from a
  // library: an error, or a warning of a best effort.
  absl::Status check_backend(const std::string& backend);

  // From now on kernels are loaded where the filter can tell them from other code. Where the
  // processor has protection keys, they may write to their device's memory alone.
  absl::Status prepare();

  // From now on, and for good, this process can open no file, socket or program, and reach no other
  // process (Landlock, seccomp). A system call that is not allowed is not made; one that a kernel
  // makes fails its launch with a text that names both. For other code, opening a file fails; any
  // other call that is not allowed, and a crash of any kind, ends the process with a line on
  // standard error and exit code 2.
  // REQUIRES: prepare() was called; the process has one thread.
  absl::Status enter();

  bool is_on() const { return mode_ != SandboxMode::kOff; }

  // What a best effort could not do, and whether there are no protection keys; one clause each.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  absl::Status require(absl::Status status);

  const SandboxMode mode_;
  uint64_t code_begin_ = 0;
  std::vector<std::string> warnings_;
};

}  // namespace lightmetal::runner
