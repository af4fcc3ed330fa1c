#pragma once

#include <cstdint>
#include <functional>
#include <lightmetal/replay.hpp>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "schema/file/reader.h"
#include "schema/verify/removal.h"

namespace lightmetal::replay {

// The options of optimize().
struct OptimizeOptions {
  std::string output = {};    // the file to write
  int compression_level = 0;  // of payloads that are stored as they are; 0: they stay so
  LoadOptions load = {};      // of the new file, which is replayed
  // RunOptions::on_progress of that replay.
  std::function<void(uint64_t command, uint64_t commands)> on_progress = {};
};

// What optimize() came to.
struct OptimizeResult {
  schema::Removal removal;
  uint64_t commands = 0;  // of the new file
  uint64_t bytes_before = 0, bytes_after = 0;
  // Whether the addresses among the arguments told what is needed. Otherwise all that touches
  // memory was kept.
  bool by_arguments = true;
  // Whether the new file is the old one, byte for byte, since any other would be no smaller.
  bool is_same = false;
  ReplayResult replay;  // of the new file; nothing was written when it does not match
};

// Writes a file without what no read needs (Slicer::needed()), with its payloads compressed where
// that is asked for. The new file is replayed; when something that is read differs from its golden,
// or that fails, another one is tried, with all that touches memory. Where even that differs,
// nothing is written.
//
// FailedPrecondition when the file is not complete, and when LIGHTMETAL_CAPTURE captures this
// process to one of the files; otherwise what the replay came to. Not thread-safe. REQUIRES: no
// device that the file opens is open in this process.
absl::StatusOr<OptimizeResult> optimize(std::shared_ptr<const schema::File> file,
                                        const OptimizeOptions& options);

}  // namespace lightmetal::replay
