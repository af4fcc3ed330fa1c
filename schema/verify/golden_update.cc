#include "schema/verify/golden_update.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "schema/command_generated.h"
#include "schema/commands/references.h"
#include "schema/file/blob.h"
#include "schema/file/session_info.h"

namespace lightmetal::schema {

GoldenUpdate::GoldenUpdate(const File& file, std::shared_ptr<Sink> sink)
    : file_(file),
      writer_(std::move(sink),
              {.compression_level = compression_level_of(file.session()).value_or(0)}) {}

absl::Status GoldenUpdate::begin() {
  if (file_.complete()) return writer_.begin(file_.session());
  return absl::FailedPreconditionError(absl::StrCat(
      file_.name(), " gets no new goldens, because it is incomplete: ", file_.incomplete_reason()));
}

absl::Status GoldenUpdate::replace(uint64_t command, Bytes golden) {
  LM_ASSIGN_OR_RETURN(name, writer_.append_blob(golden));
  goldens_.insert_or_assign(command, name);
  return absl::OkStatus();
}

// What is dropped are the goldens that were replaced, without those that another command names,
// too.
absl::Status GoldenUpdate::find_dropped() {
  const auto each_blob = [this](auto&& visitor) {
    return file_.for_each_command([&](const CommandView& view) {
      const bool is_replaced = goldens_.contains(view.number);
      visit_blobs(*view.command, [&](const BlobReference& blob) {
        visitor(to_digest(blob.name.digest()), is_replaced && blob.role == PayloadRole::Golden);
      });
      return absl::OkStatus();
    });
  };
  LM_RETURN_IF_ERROR(each_blob([this](const ::lightmetal::Digest& digest, bool is_replaced) {
    if (is_replaced) dropped_.insert(digest);
  }));
  return each_blob([this](const ::lightmetal::Digest& digest, bool is_replaced) {
    if (!is_replaced) dropped_.erase(digest);
  });
}

absl::StatusOr<GoldenUpdateReport> GoldenUpdate::finish() {
  LM_RETURN_IF_ERROR(find_dropped());
  ForwardPass pass(file_);
  for (uint64_t offset = File::frames_begin(); offset < file_.frames_end();) {
    pass.reach(offset);
    LM_ASSIGN_OR_RETURN(frame, file_.frame_at(offset));
    LM_RETURN_IF_ERROR(copy(frame));
    offset = frame.end;
  }
  LM_RETURN_IF_ERROR(writer_.finish(absl::OkStatus()));
  report_.goldens_replaced = goldens_.size();
  return report_;
}

absl::Status GoldenUpdate::copy(const FrameView& frame) {
  if (frame.type() == FrameType::Command) return copy_command(frame);
  report_.signatures_dropped += frame.type() == FrameType::Signature;
  if (is_blob(frame.type())) {
    LM_ASSIGN_OR_RETURN(blob, file_.blob_in(frame));
    if (dropped_.contains(blob.digest)) return absl::OkStatus();
  }
  return writer_.append_frame_of(file_, frame);
}

absl::Status GoldenUpdate::copy_command(const FrameView& frame) {
  const auto golden = goldens_.find(command_++);
  if (golden == goldens_.end()) return writer_.append_command(frame.payload);
  std::vector<std::byte> bytes(frame.payload.begin(), frame.payload.end());
  visit_blobs(*GetSizePrefixedCommand(bytes.data()), [&](const BlobReference& blob) {
    // In our own copy of the command, which keeps fields that this version does not know.
    if (blob.role == PayloadRole::Golden) const_cast<BlobRef&>(blob.name) = golden->second;
  });
  return writer_.append_command(bytes);
}

}  // namespace lightmetal::schema
