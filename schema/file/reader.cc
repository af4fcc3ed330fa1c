#include "schema/file/reader.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "schema/commands/decode.h"
#include "schema/file/blob.h"

namespace lightmetal::schema {
namespace {

bool is_known(uint16_t type) {
  return type >= static_cast<uint16_t>(FrameType::Session) &&
         type <= static_cast<uint16_t>(FrameType::ExternalBlob);
}

// Says which versions the reader and the file have: "which this reader of format 1.1 does not know;
// the file has format 1.9: ...".
std::string not_known(const SessionInfo& session) {
  const uint32_t minor = session.version_minor;
  return absl::StrCat("which this reader of format ", kVersionMajor, ".", kVersionMinor,
                      " does not know; the file has format ", session.version_major, ".", minor,
                      minor > kVersionMinor ? ": a reader of that format is needed" : "");
}

// Says why this reader may not go on behind a frame with such a header; empty when it may. A flag
// that the reader does not know may change what the frame means, so it refuses that, too.
std::string check_kind(const FrameHeader& header, const SessionInfo& session) {
  if ((header.flags & ~kFrameOptional) == 0 &&
      (is_known(header.type) || (header.flags & kFrameOptional) != 0)) {
    return "";
  }
  return absl::StrCat("has type ", header.type, " and flags ", header.flags, ", ",
                      not_known(session));
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
  // The first comparison bounds `length`, without which frame_size() could overflow.
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

::lightmetal::Digest File::digest_of_payload(const FrameView& frame) const {
  constexpr uint64_t kPiece = MappedFile::kReleaseWindow / 4;
  if (frame.payload.size() <= kPiece) return digest_of(frame.payload);
  Digester digester;
  for (uint64_t done = 0; done < frame.payload.size(); done += kPiece) {
    const Bytes piece = frame.payload.subspan(done, kPiece);
    digester.add(piece);
    release(frame.offset + sizeof(FrameHeader) + done, piece.size());
  }
  return digester.digest();
}

absl::StatusOr<const Command*> File::command_in(const FrameView& frame) const {
  absl::StatusOr<const Command*> command = decode_command(frame.payload);
  if (command.ok()) return command;
  const bool unknown = absl::IsUnimplemented(command.status());
  return absl::Status(
      command.status().code(),
      error_at(frame.offset, absl::StrCat("holds no command: ", command.status().message(),
                                          unknown ? ", " : "", unknown ? not_known(session_) : ""))
          .message());
}

absl::Status File::for_each_command(
    uint64_t first, uint64_t last,
    absl::FunctionRef<absl::Status(const CommandView&)> visitor) const {
  last = std::min(last, num_commands_);
  if (first >= last) return absl::OkStatus();
  const uint64_t checkpoint = first / commands_per_checkpoint_;
  uint64_t number = checkpoint * commands_per_checkpoint_;
  uint64_t offset = checkpoints_[checkpoint];
  ForwardPass pass(*this, offset);
  while (number < last) {
    LM_ASSIGN_OR_RETURN(frame, frame_at(offset));
    pass.reach(offset);
    offset = frame.end;
    if (frame.type() != FrameType::Command || number++ < first) continue;
    LM_ASSIGN_OR_RETURN(command, command_in(frame));
    LM_RETURN_IF_ERROR(visitor({number - 1, frame.offset, command}));
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
  // A reference with the right digest and another size leads to nothing.
  if (entry == blobs_.end() || entry->digest != digest || entry->size != reference.size()) {
    return nullptr;
  }
  return &*entry;
}

std::optional<FrameType> File::form_of(const BlobRef& reference) const {
  const BlobEntry* entry = find_blob(reference);
  if (entry == nullptr) return std::nullopt;
  const absl::StatusOr<FrameView> frame = frame_at(entry->offset);
  if (!frame.ok() || !is_blob(frame->type())) return std::nullopt;
  return frame->type();
}

absl::StatusOr<FrameView> File::frame_of(const BlobRef& reference) const {
  const BlobEntry* entry = find_blob(reference);
  if (entry == nullptr) {
    return absl::NotFoundError(absl::StrCat(name_, " has no blob ",
                                            to_digest(reference.digest()).hex(), " of ",
                                            reference.size(), " bytes"));
  }
  LM_ASSIGN_OR_RETURN(frame, frame_at(entry->offset));
  if (is_blob(frame.type())) {
    LM_ASSIGN_OR_RETURN(found, blob_in(frame));
    // The index of a file that nobody has verified may lead anywhere.
    if (found == *entry) return frame;
  }
  return error_at(entry->offset, "is not the blob that the index says");
}

absl::StatusOr<Payload> File::blob(const BlobRef& reference) const {
  LM_ASSIGN_OR_RETURN(frame, frame_of(reference));
  if (frame.type() != FrameType::CompressedBlob) return payload_in(frame);
  LM_ASSIGN_OR_RETURN(compressed, compressed_in(frame));
  absl::StatusOr<Payload> payload = compressed.decompress();
  return payload.ok() ? payload : compressed_error(frame, payload.status());
}

absl::Status File::read_blob(const BlobRef& reference, uint64_t offset,
                             absl::Span<std::byte> target) const {
  LM_ASSIGN_OR_RETURN(frame, frame_of(reference));
  if (offset > reference.size() || target.size() > reference.size() - offset) {
    return absl::OutOfRangeError(absl::StrCat(name_, ": a payload of ", reference.size(),
                                              " bytes has no ", target.size(), " bytes at ",
                                              offset));
  }
  if (frame.type() == FrameType::CompressedBlob) {
    LM_ASSIGN_OR_RETURN(compressed, compressed_in(frame));
    return compressed_error(frame, compressed.read(offset, target));
  }
  LM_ASSIGN_OR_RETURN(payload, payload_in(frame));
  if (!target.empty()) std::memcpy(target.data(), payload.data() + offset, target.size());
  return absl::OkStatus();
}

// The payload of a blob that is not compressed.
absl::StatusOr<Payload> File::payload_in(const FrameView& frame) const {
  if (frame.type() == FrameType::ExternalBlob) {
    LM_ASSIGN_OR_RETURN(info, external_in(frame));
    absl::StatusOr<Payload> payload = external_files_->get(info);
    return payload.ok() ? payload : external_error(frame, payload.status());
  }
  if (mapping_ == nullptr) return Payload(frame.payload, owner_);
  return mapping_->payload(frame.offset + sizeof(FrameHeader), frame.payload.size());
}

absl::StatusOr<std::vector<ExternalBlobInfo>> File::external_blobs() const {
  std::vector<ExternalBlobInfo> found;
  for (const BlobEntry& entry : blobs_) {
    LM_ASSIGN_OR_RETURN(frame, frame_at(entry.offset));
    if (frame.type() != FrameType::ExternalBlob) continue;
    LM_ASSIGN_OR_RETURN(info, external_in(frame));
    found.push_back(std::move(info));
  }
  return found;
}

std::vector<std::string> File::paths() const {
  std::set<std::string> paths = {name_};
  for (const BlobEntry& entry : blobs_) {
    const auto frame = frame_at(entry.offset);
    if (!frame.ok() || frame->type() != FrameType::ExternalBlob) continue;
    const auto info = external_in(*frame);
    if (!info.ok()) continue;
    paths.insert(info->path);
    const auto resolved = resolve_path(info->path, external_files_->options());
    if (resolved.ok()) paths.insert(*resolved);
  }
  return {paths.begin(), paths.end()};
}

absl::Status File::check_external_blobs() const {
  for (const BlobEntry& entry : blobs_) {
    LM_ASSIGN_OR_RETURN(frame, frame_at(entry.offset));
    LM_RETURN_IF_ERROR(check_external(frame));
  }
  return absl::OkStatus();
}

absl::StatusOr<BlobEntry> File::blob_in(const FrameView& frame) const {
  if (frame.type() == FrameType::CompressedBlob) {
    LM_ASSIGN_OR_RETURN(compressed, compressed_in(frame));
    return BlobEntry{compressed.digest(), compressed.size(), frame.offset};
  }
  if (frame.type() == FrameType::ExternalBlob) {
    LM_ASSIGN_OR_RETURN(info, external_in(frame));
    return BlobEntry{info.digest, info.size, frame.offset};
  }
  return BlobEntry{frame.digest(), frame.payload.size(), frame.offset};
}

absl::StatusOr<CompressedBlob> File::compressed_in(const FrameView& frame) const {
  absl::StatusOr<CompressedBlob> blob = CompressedBlob::parse(frame.payload);
  if (!blob.ok()) return compressed_error(frame, blob.status());
  if (blob->size() <= max_decompressed_size_) return blob;
  return compressed_error(
      frame, absl::ResourceExhaustedError(absl::StrCat("is a compressed blob of ", blob->size(),
                                                       " bytes, and the most that is allowed are ",
                                                       max_decompressed_size_)));
}

absl::StatusOr<ExternalBlobInfo> File::external_in(const FrameView& frame) const {
  absl::StatusOr<ExternalBlobInfo> info = parse_external_blob(frame.payload);
  return info.ok() ? info : error_at(frame.offset, info.status().message());
}

absl::Status File::check_compressed(const FrameView& frame) const {
  if (frame.type() != FrameType::CompressedBlob) return absl::OkStatus();
  LM_ASSIGN_OR_RETURN(compressed, compressed_in(frame));
  return compressed_error(frame, compressed.check());
}

absl::Status File::check_external(const FrameView& frame) const {
  if (frame.type() != FrameType::ExternalBlob) return absl::OkStatus();
  LM_ASSIGN_OR_RETURN(info, external_in(frame));
  return external_error(frame, external_files_->check(info));
}

absl::Status File::compressed_error(const FrameView& frame, const absl::Status& status) const {
  return absl::Status(status.code(), error_at(frame.offset, status.message()).message());
}

absl::Status File::external_error(const FrameView& frame, const absl::Status& status) const {
  return absl::Status(status.code(), absl::StrCat(name_, ": the payload of the frame at offset ",
                                                  frame.offset, " ", status.message()));
}

}  // namespace lightmetal::schema
