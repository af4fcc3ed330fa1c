#pragma once

#include <cstdint>
#include <functional>
#include <lightmetal/replay.hpp>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace lightmetal {

// What slice() is asked for.
struct SliceOptions {
  // The outputs to keep: reads with a golden, by the numbers of their commands, and all such reads
  // of a buffer, by its id.
  std::vector<uint64_t> commands = {};
  std::vector<uint64_t> buffers = {};

  // The file to write. When slice() fails, or an output differs, what was there before stays.
  std::string output = {};

  // For the replay of the new file.
  LoadOptions load = {};
  // RunOptions::on_progress of that replay.
  std::function<void(uint64_t command, uint64_t commands)> on_progress = {};
};

// What slice() came to.
struct SliceResult {
  uint64_t commands = 0;  // of the new file
  // Whether the addresses among the arguments told what the outputs need. Otherwise all commands up
  // to the last output were kept.
  bool by_arguments = true;
  ReplayResult replay;  // of the new file
};

// Writes a file of what the outputs need and nothing else: the commands that compute them, the
// objects that these name, and the ends of these objects. Which launches compute an output follows
// from the addresses among their arguments (schema/verify/slicer.h); the new file is replayed, and
// when an output differs from its golden, or that fails, it is written anew with all commands up to
// the last output, and replayed again.
//
// InvalidArgument when there are no outputs, or one is no read; FailedPrecondition when one has no
// golden, and when LIGHTMETAL_CAPTURE captures this process to one of the files; otherwise what the
// replay came to. Not thread-safe. REQUIRES: no device that the file opens is open in this process.
absl::StatusOr<SliceResult> slice(std::shared_ptr<const schema::File> file,
                                  const SliceOptions& options);

}  // namespace lightmetal
