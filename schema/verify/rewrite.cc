#include "schema/verify/rewrite.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "schema/command_generated.h"
#include "schema/commands/decode.h"
#include "schema/commands/references.h"
#include "schema/file/blob.h"
#include "schema/file/session_info.h"

namespace lightmetal::schema {

Rewrite::Rewrite(const File& file, std::shared_ptr<Sink> sink)
    : file_(file),
      writer_(std::move(sink),
              {.compression_level = compression_level_of(file.session()).value_or(0)}) {}

absl::Status Rewrite::begin_with_new_calls() {
  SessionInfo session = file_.session();
  session.version_minor = std::max(session.version_minor, kVersionMinor);
  return writer_.begin(session);
}

absl::Status Rewrite::replace(uint64_t command, std::vector<std::byte> bytes) {
  LM_RETURN_IF_ERROR(decode_command(bytes).status());
  changed_.insert_or_assign(command, std::move(bytes));
  return absl::OkStatus();
}

void Rewrite::insert_before(uint64_t command, std::vector<std::byte> bytes) {
  before_[command].push_back(std::move(bytes));
}

void Rewrite::insert_behind(uint64_t command, std::vector<std::byte> bytes) {
  behind_[command].push_back(std::move(bytes));
}

// What is dropped is what changed commands named before and no command names now.
absl::Status Rewrite::find_dropped() {
  absl::flat_hash_set<::lightmetal::Digest> named;
  LM_RETURN_IF_ERROR(file_.for_each_command([&](const CommandView& view) {
    const auto changed = changed_.find(view.number);
    const bool is_changed = changed != changed_.end();
    visit_blobs(*view.command, [&](const BlobReference& blob) {
      (is_changed ? dropped_ : named).insert(to_digest(blob.name.digest()));
    });
    if (!is_changed) return absl::OkStatus();
    visit_blobs(*GetSizePrefixedCommand(changed->second.data()),
                [&](const BlobReference& blob) { named.insert(to_digest(blob.name.digest())); });
    return absl::OkStatus();
  }));
  for (const ::lightmetal::Digest& digest : named) dropped_.erase(digest);
  return absl::OkStatus();
}

absl::StatusOr<uint64_t> Rewrite::finish() {
  LM_RETURN_IF_ERROR(find_dropped());
  ForwardPass pass(file_);
  for (uint64_t offset = File::frames_begin(); offset < file_.frames_end();) {
    pass.reach(offset);
    LM_ASSIGN_OR_RETURN(frame, file_.frame_at(offset));
    LM_RETURN_IF_ERROR(copy(frame));
    offset = frame.end;
  }
  LM_RETURN_IF_ERROR(writer_.finish(absl::OkStatus()));
  return signatures_dropped_;
}

absl::Status Rewrite::copy(const FrameView& frame) {
  if (frame.type() == FrameType::Command) return copy_command(frame.payload);
  signatures_dropped_ += frame.type() == FrameType::Signature;
  if (is_blob(frame.type())) {
    LM_ASSIGN_OR_RETURN(blob, file_.blob_in(frame));
    if (dropped_.contains(blob.digest)) return absl::OkStatus();
  }
  LM_ASSIGN_OR_RETURN(is_stale, names_dropped(frame));
  return is_stale ? absl::OkStatus() : writer_.append_frame_of(file_, frame);
}

absl::Status Rewrite::copy_command(Bytes command) {
  const uint64_t number = command_++;
  LM_RETURN_IF_ERROR(append(before_, number));
  const auto changed = changed_.find(number);
  if (!left_out_.contains(number)) {
    LM_RETURN_IF_ERROR(
        writer_.append_command(changed == changed_.end() ? command : Bytes(changed->second)));
  }
  return append(behind_, number);
}

absl::Status Rewrite::append(const Additions& additions, uint64_t command) {
  const auto found = additions.find(command);
  if (found == additions.end()) return absl::OkStatus();
  for (const std::vector<std::byte>& added : found->second)
    LM_RETURN_IF_ERROR(writer_.append_command(added));
  return absl::OkStatus();
}

// The intent of a call that was changed would name a payload that the new file does not have.
absl::StatusOr<bool> Rewrite::names_dropped(const FrameView& frame) const {
  bool found = false;
  if (frame.type() != FrameType::Intent) return found;
  LM_ASSIGN_OR_RETURN(intent, file_.command_in(frame));
  visit_blobs(*intent, [&](const BlobReference& blob) {
    found |= dropped_.contains(to_digest(blob.name.digest()));
  });
  return found;
}

}  // namespace lightmetal::schema
