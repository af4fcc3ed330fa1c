#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "schema/file/reader.h"
#include "schema/storage/sink.h"

namespace lightmetal::schema {

// What repair() kept and left behind.
struct RepairReport {
  uint64_t commands = 0;
  uint64_t blobs = 0;
  uint64_t bytes_kept = 0;  // of the damaged file: its frames up to here are in the new file
  uint64_t bytes_dropped = 0;
  uint64_t signatures_dropped = 0;  // they do not hold for the new file
  std::string reason;  // one clause that says what ended the good part; empty for a whole file
};

// Writes the longest good beginning of `file` into `sink` as a file that is closed and whole: every
// frame up to the first that verify() refuses, or up to where a queue begins to wait for an event
// that is not recorded before that frame. Where something was lost, the session of the new file
// says so in its option "repaired". Signatures are left out, since they do not hold for another
// file. Fails when `sink` fails.
absl::StatusOr<RepairReport> repair(const File& file, std::shared_ptr<Sink> sink);

}  // namespace lightmetal::schema
