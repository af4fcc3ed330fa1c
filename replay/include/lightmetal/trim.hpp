#pragma once

#include <cstdint>
#include <functional>
#include <lightmetal/replay.hpp>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace lightmetal {

// What trim() is asked for.
struct TrimOptions {
  // The commands to keep, counted from 0, both included. What lies beyond the last command of the
  // file means that one.
  uint64_t first = 0;
  uint64_t last = UINT64_MAX;

  // The file to write. When trim() fails, or an output differs, what was there before stays.
  std::string output = {};

  // Adds goldens of what the commands wrote: the file ends with a read of each buffer that has
  // memory after them and whose content they changed, that a write among them names, or whose
  // address is among the arguments of a launch.
  bool add_goldens = false;

  // Loads the file; the new one is replayed with the same backend and memory limit.
  LoadOptions load = {};
  // These are those of RunOptions. Without the check, what is read now becomes the golden of a
  // read.
  bool check_goldens = true;
  std::function<void(const GoldenResult&)> on_mismatch = {};
  std::function<void(uint64_t command, uint64_t commands)> on_progress = {};
};

// What trim() returns.
struct TrimResult {
  ReplayResult replay;         // of the commands up to the last one
  uint64_t added_goldens = 0;  // of TrimOptions::add_goldens
};

// Writes a file that does what the commands `first` to `last` of `file` do, and needs no other
// file: it begins with a snapshot of what lives when they begin. A replay of all commands up to
// `last` finds that out; its kernels run, on devices that are closed again.
// <lightmetal/capture.hpp> says what a snapshot holds and what it does not. Goldens are kept, and
// so is whether reads are goldens. The new file is replayed before it gets its name.
//
// With `add_goldens`, the content of each buffer is read before and after the commands, at the size
// of the buffer.
//
// InvalidArgument for a range that is empty or outside the file, and for an `output` that is empty,
// no regular file, or the file itself; FailedPrecondition while this process captures itself, when
// the new file does not replay, when LIGHTMETAL_CAPTURE captures it to one of these files, and with
// `add_goldens` when there is no buffer to read, or a queue waits after the commands for an event
// that a later command records; Unimplemented when the library was
// built without capture; otherwise what the replay or the capture came to. Not thread-safe.
// REQUIRES: no device that the file opens is open in this process. Other objects of the process, if
// there are any, become part of the file.
absl::StatusOr<TrimResult> trim(std::shared_ptr<const schema::File> file,
                                const TrimOptions& options);

}  // namespace lightmetal
