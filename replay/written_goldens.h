#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/digest.h"
#include "replay/executor.h"
#include "replay/launches.h"
#include "replay/loaded_file.h"
#include "replay/object_table.h"
#include "schema/command_generated.h"

namespace lightmetal::replay {

// Adds goldens of what some commands wrote to the capture of these commands, for trim(). A buffer
// counts as written if its content changed, if a write names it, or if its address is among the
// arguments of a launch. Not thread-safe.
class WrittenGoldens {
 public:
  // The commands are those from `first` to `last`. `loaded` must outlive the result.
  static absl::StatusOr<WrittenGoldens> create(const LoadedFile& loaded, uint64_t first,
                                               uint64_t last);

  // Reads the buffers before the commands. Call before command `first` is executed and before the
  // capture begins.
  absl::Status begin(Executor& executor);

  // Notes a command of the range. Call after the command was executed.
  absl::Status add(const schema::Command& command, Executor& executor);

  // Reads the buffers after the commands, and records a wait for each device and a
  // LightMetalCompare for each written buffer that has memory. Call after command `last`, while the
  // capture runs. Returns the number of goldens. Returns FailedPrecondition if there is no such
  // buffer, or if a queue waits for an event that no command has recorded.
  absl::StatusOr<uint64_t> finish(Executor& executor);

 private:
  WrittenGoldens(const LoadedFile& loaded, uint64_t first, uint64_t last,
                 absl::flat_hash_set<uint64_t> written)
      : loaded_(loaded), first_(first), last_(last), types_(loaded), written_(std::move(written)) {}

  absl::Status note_content(uint64_t buffer, Executor& executor);
  absl::StatusOr<bool> is_written(uint64_t buffer, Executor& executor) const;
  absl::Status record_waits(ObjectTable& objects);
  absl::Status record_golden(uint64_t buffer, Executor& executor) const;
  absl::Status error(absl::string_view why) const;

  const LoadedFile& loaded_;
  uint64_t first_;
  uint64_t last_;
  BufferTypes types_;
  absl::flat_hash_set<uint64_t> written_;                     // buffers, as the file says
  std::map<uint64_t, Digest> before_;                         // content, by buffer
  std::map<uint64_t, const schema::LaunchProgram*> running_;  // not waited for, by program
};

}  // namespace lightmetal::replay
