#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "runner/command_line.h"

// `--watchdog SECONDS`: the file is executed in a child of this process, and this process ends the
// child when it has not ended by then. Whatever a file makes the child do, loop in a kernel or
// write for hours, this process goes on.
namespace lightmetal::runner {

void add_watchdog_option(cxxopts::Options& options);

// The watchdog of one process. Without a limit it does nothing, unless --sync is given: then the
// file is executed in a child as well, so that the command is named which ends that process.
class Watchdog {
 public:
  // How the execution has ended; kByItself also before it has.
  enum class End { kByItself, kStopped, kCrashed };

  // The limit is that of `option`, or else of LIGHTMETAL_RUNNER_WATCHDOG_SECONDS, or else the
  // option's default. Throws when it is no number from 0.01 to 1000000, and when this process is
  // captured, which its child would not be.
  explicit Watchdog(const cxxopts::ParseResult& arguments, const std::string& option = "watchdog");
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  // Runs `execute`, which is about `file`, in a child, or here where nobody asks for one. Returns
  // its exit code; kFailure, with one line on standard error, when the child was ended or has
  // crashed. REQUIRES: this process has one thread.
  int guard(const std::string& file, absl::FunctionRef<int()> execute);

  // What guard() has seen, for its caller in this process.
  End end() const { return end_; }

  // Called by `execute` before each command. Cheap: one relaxed store.
  void at(uint64_t command);

 private:
  struct Notes;  // what the child notes, in memory that both processes share

  static Notes* make_notes();
  static void answer_questions(Notes* notes);
  bool ends(int child) const;
  int exit_code_of(int child, const std::string& file);
  int stop(int child, const std::string& file);
  std::string place(const std::string& file) const;

  const std::string option_;
  std::optional<std::chrono::duration<double>> limit_;
  End end_ = End::kByItself;
  Notes* notes_ = nullptr;  // null where there is no child
};

}  // namespace lightmetal::runner
