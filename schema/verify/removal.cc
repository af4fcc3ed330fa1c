#include "schema/verify/removal.h"

#include "absl/container/flat_hash_set.h"
#include "base/digest.h"
#include "base/status.h"
#include "schema/commands/decode.h"
#include "schema/commands/references.h"
#include "schema/file/blob.h"

namespace lightmetal::schema {
namespace {

using Digests = absl::flat_hash_set<::lightmetal::Digest>;

// Counts the commands that are not kept, and returns the payloads that the others name.
absl::StatusOr<Digests> count_commands(const File& file, const Slicer::Commands& kept,
                                       Removal& removal) {
  Digests named;
  LM_RETURN_IF_ERROR(file.for_each_command([&](const CommandView& view) -> absl::Status {
    if (kept[view.number]) {
      visit_blobs(*view.command,
                  [&](const BlobReference& blob) { named.insert(to_digest(blob.name.digest())); });
      return absl::OkStatus();
    }
    LM_ASSIGN_OR_RETURN(frame, file.frame_at(view.offset));
    ++removal.commands[std::string(name_of(*view.command))];
    ++removal.num_commands;
    removal.command_bytes += frame.end - frame.offset;
    return absl::OkStatus();
  }));
  return named;
}

// Counts what is no command.
absl::Status count_frame(const File& file, const FrameView& frame, const Digests& named,
                         Removal& removal) {
  removal.signatures += frame.type() == FrameType::Signature;
  removal.intents += frame.type() == FrameType::Intent;
  if (!is_blob(frame.type())) return absl::OkStatus();
  LM_ASSIGN_OR_RETURN(blob, file.blob_in(frame));
  if (named.contains(blob.digest)) return absl::OkStatus();
  ++removal.payloads;
  removal.payload_bytes += frame.end - frame.offset;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Removal> removal_of(const File& file, const Slicer::Commands& kept) {
  Removal removal;
  LM_ASSIGN_OR_RETURN(named, count_commands(file, kept, removal));
  for (uint64_t offset = File::frames_begin(); offset < file.frames_end();) {
    LM_ASSIGN_OR_RETURN(frame, file.frame_at(offset));
    LM_RETURN_IF_ERROR(count_frame(file, frame, named, removal));
    offset = frame.end;
  }
  return removal;
}

}  // namespace lightmetal::schema
