#include "schema/reader.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "schema/blob.h"
#include "schema/decode.h"

namespace lightmetal::schema {
namespace {

bool is_known(uint16_t type) {
  return type >= static_cast<uint16_t>(FrameType::Session) &&
         type <= static_cast<uint16_t>(FrameType::Footer);
}

// Empty when this reader may go on behind a frame with such a header.
std::string check_kind(const FrameHeader& header, const SessionInfo& session) {
  if ((header.flags & ~kFrameOptional) == 0 &&
      (is_known(header.type) || (header.flags & kFrameOptional) != 0)) {
    return "";
  }
  return absl::StrCat("has type ", header.type, " and flags ", header.flags,
                      ", which this reader of format ", kVersionMajor, ".", kVersionMinor,
                      " does not know; the file has format ", session.version_major, ".",
                      session.version_minor);
}

}  // namespace

absl::Status File::error_at(uint64_t offset, absl::string_view message) const {
  return absl::DataLossError(absl::StrCat(name_, ": the frame at offset ", offset, " ", message));
}

absl::StatusOr<FrameView> File::frame_at(uint64_t offset) const {
  if (offset % kFrameAlignment != 0) return error_at(offset, "is not aligned");
  if (offset > size() || size() - offset < sizeof(FrameHeader)) {
    return error_at(offset, absl::StrCat("is cut off by the end of the file at ", size()));
  }
  FrameView frame;
  frame.offset = offset;
  std::memcpy(&frame.header, bytes_.data() + offset, sizeof(FrameHeader));
  if (frame.header.checksum != header_checksum(frame.header, offset)) {
    return error_at(offset, "is damaged: the checksum of its header is wrong");
  }
  const uint64_t room = size() - offset - sizeof(FrameHeader);
  const uint64_t length = frame.header.length;
  if (length > room || frame_size(length) > size() - offset) {
    return error_at(offset, absl::StrCat("has ", length, " bytes, but the file ends at ", size()));
  }
  if (std::string unknown = check_kind(frame.header, session_); !unknown.empty()) {
    return absl::UnimplementedError(
        absl::StrCat(name_, ": the frame at offset ", offset, " ", unknown));
  }
  frame.payload = bytes_.subspan(offset + sizeof(FrameHeader), length);
  frame.end = offset + frame_size(length);
  return frame;
}

absl::Status File::for_each_command(
    uint64_t first, uint64_t last,
    absl::FunctionRef<absl::Status(const CommandView&)> visitor) const {
  last = std::min(last, num_commands_);
  if (first >= last) return absl::OkStatus();
  const uint64_t checkpoint = first / commands_per_checkpoint_;
  uint64_t number = checkpoint * commands_per_checkpoint_;
  for (uint64_t offset = checkpoints_[checkpoint]; number < last;) {
    LM_ASSIGN_OR_RETURN(frame, frame_at(offset));
    offset = frame.end;
    if (frame.type() != FrameType::Command || number++ < first) continue;
    absl::StatusOr<const Command*> command = decode_command(frame.payload);
    if (!command.ok()) {
      return absl::Status(
          command.status().code(),
          error_at(frame.offset, absl::StrCat("holds no command: ", command.status().message()))
              .message());
    }
    LM_RETURN_IF_ERROR(visitor({number - 1, frame.offset, *command}));
  }
  return absl::OkStatus();
}

absl::StatusOr<CommandView> File::command(uint64_t number) const {
  if (number >= num_commands_) {
    return absl::OutOfRangeError(
        absl::StrCat(name_, " has no command ", number, "; it holds ", num_commands_, " commands"));
  }
  CommandView found;
  LM_RETURN_IF_ERROR(for_each_command(number, number + 1, [&](const CommandView& view) {
    found = view;
    return absl::OkStatus();
  }));
  return found;
}

const BlobEntry* File::find_blob(const BlobRef& reference) const {
  const ::lightmetal::Digest digest = to_digest(reference.digest());
  const auto entry = std::lower_bound(
      blobs_.begin(), blobs_.end(), digest,
      [](const BlobEntry& e, const ::lightmetal::Digest& d) { return e.digest < d; });
  if (entry == blobs_.end() || entry->digest != digest || entry->size != reference.size()) {
    return nullptr;
  }
  return &*entry;
}

absl::StatusOr<Bytes> File::blob(const BlobRef& reference) const {
  const BlobEntry* entry = find_blob(reference);
  if (entry == nullptr) {
    return absl::NotFoundError(absl::StrCat(name_, " has no blob ",
                                            to_digest(reference.digest()).hex(), " of ",
                                            reference.size(), " bytes"));
  }
  LM_ASSIGN_OR_RETURN(frame, frame_at(entry->offset));
  if (frame.type() != FrameType::Blob || frame.digest() != entry->digest ||
      frame.payload.size() != entry->size) {
    return error_at(entry->offset, "is not the blob that the index says");
  }
  return frame.payload;
}

}  // namespace lightmetal::schema
