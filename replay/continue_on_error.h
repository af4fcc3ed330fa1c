#pragma once

#include <cstdint>
#include <lightmetal/replay.hpp>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "replay/executor.h"
#include "replay/failures.h"
#include "schema/commands/forward.h"
#include "schema/file/reader.h"

namespace lightmetal::replay {

// The policy for errors of a run that goes on after them (RunOptions::continue_on_error): keeps
// each error, and skips the commands that need what has failed. An object serves one run. Not
// thread-safe.
class ContinueOnError {
 public:
  // Both must outlive this.
  ContinueOnError(const schema::File& file, Executor& executor)
      : file_(file), executor_(executor) {}

  // Executes command `number`, or skips it.
  void execute(uint64_t number, const schema::Command& command);
  // Keeps the error with which the run has ended after its last command.
  void note_end(const absl::Status& error);

  // Moves the errors to `result`.
  void move_to(ReplayResult& result);

 private:
  void note(std::optional<uint64_t> number, bool skipped, const absl::Status& error);

  const schema::File& file_;
  Executor& executor_;
  Failures failures_;
  ReplayResult errors_;
};

}  // namespace lightmetal::replay
