#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/digest.h"
#include "schema/file/reader.h"
#include "schema/file/writer.h"
#include "schema/storage/sink.h"
#include "schema/types_generated.h"

namespace lightmetal::schema {

// Writes a file anew with some commands changed, dropped or added, and everything else as it is:
// other commands, also with fields that this version does not know, and payloads in the form that
// they have. Holds the new commands. Not thread-safe.
//
// Commands are named by their numbers in the old file, and new ones are in the form of
// finish_command().
class Rewrite {
 public:
  // `file` outlives the rewrite.
  Rewrite(const File& file, std::shared_ptr<Sink> sink);

  // Begins the new file. REQUIRES: the old one is complete.
  absl::Status begin() { return writer_.begin(file_.session()); }
  // The same for one that gets calls which the version of the old one may not have: it has this
  // version, so that an older reader says why it cannot read it.
  absl::Status begin_with_new_calls();

  // Writes a payload for changed commands, unless the new file has it.
  absl::StatusOr<BlobRef> append_blob(Bytes payload) { return writer_.append_blob(payload); }

  // Puts `bytes` in place of the command; of several, the last counts. DataLoss when they are no
  // command.
  absl::Status replace(uint64_t command, std::vector<std::byte> bytes);
  // Put it next to a command, behind what was put there before; these name no payloads. Leave the
  // command out.
  void insert_before(uint64_t command, std::vector<std::byte> bytes);
  void insert_behind(uint64_t command, std::vector<std::byte> bytes);
  void drop(uint64_t command) { left_out_.insert(command); }

  // Writes the rest of the new file and returns how many signatures it has not: they do not fit
  // what was changed. Payloads that only changed commands named, as they were, are left out.
  absl::StatusOr<uint64_t> finish();

 private:
  absl::Status find_dropped();
  using Additions = absl::flat_hash_map<uint64_t, std::vector<std::vector<std::byte>>>;

  absl::Status copy(const FrameView& frame);
  absl::Status copy_command(Bytes command);
  absl::Status append(const Additions& additions, uint64_t command);
  absl::StatusOr<bool> names_dropped(const FrameView& frame) const;

  const File& file_;
  Writer writer_;
  uint64_t command_ = 0;  // the number of the next one to copy
  uint64_t signatures_dropped_ = 0;
  absl::flat_hash_map<uint64_t, std::vector<std::byte>> changed_;  // by command
  Additions before_;
  Additions behind_;
  absl::flat_hash_set<uint64_t> left_out_;  // commands
  absl::flat_hash_set<::lightmetal::Digest> dropped_;
};

}  // namespace lightmetal::schema
