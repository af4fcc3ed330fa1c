#pragma once

#include <cstdint>
#include <memory>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/digest.h"
#include "schema/file/reader.h"
#include "schema/storage/sink.h"
#include "schema/types_generated.h"
#include "schema/verify/rewrite.h"

namespace lightmetal::schema {

// What became of a file whose goldens were replaced.
struct GoldenUpdateReport {
  uint64_t goldens_replaced = 0;
  uint64_t signatures_dropped = 0;  // they do not fit what was changed
};

// Writes a file anew with other goldens, and everything else as it is. The new goldens are written
// as they come, so that no more than one of them is held at a time. Not thread-safe.
class GoldenUpdate {
 public:
  // `file` outlives the update.
  GoldenUpdate(const File& file, std::shared_ptr<Sink> sink);

  // Begins the new file. FailedPrecondition when the old one is not complete.
  absl::Status begin();

  // Makes `golden` what the command must read in the new file. REQUIRES: the command has a golden;
  // of a command that is named twice, the last one counts.
  absl::Status replace(uint64_t command, Bytes golden);

  // Writes the rest of the new file. Goldens that no command names any longer are left out.
  absl::StatusOr<GoldenUpdateReport> finish();

 private:
  absl::Status change(const CommandView& view);

  const File& file_;
  Rewrite rewrite_;
  absl::flat_hash_map<uint64_t, BlobRef> goldens_;  // the new ones, by command
};

}  // namespace lightmetal::schema
