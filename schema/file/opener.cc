#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "schema/commands/reach.h"
#include "schema/file/reader.h"
#include "schema/flat_buffer.h"
#include "schema/session_generated.h"
#include "schema/storage/room.h"
#include "schema/text.h"

namespace lightmetal::schema {
namespace {

bool is_session(Bytes payload) {
  if (!may_be_flat_buffer(payload.size())) return false;
  flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t*>(payload.data()), payload.size());
  return VerifySessionBuffer(verifier);
}

// Cut to 32 bits, a number that is no error's could be the one that means no error.
absl::StatusCode error_code_of(uint64_t number) {
  return number <= INT32_MAX ? static_cast<absl::StatusCode>(number) : absl::StatusCode::kUnknown;
}

SessionInfo info_of(const Session& session) {
  SessionInfo info;
  info.version_major = session.version_major();
  info.version_minor = session.version_minor();
  info.producer = text_of(session.producer());
  if (session.origin() != nullptr) info.origin = decode_origin(*session.origin());
  if (session.options() == nullptr) return info;
  for (const SessionOption* option : *session.options()) {
    info.options.emplace_back(text_of(option->name()), text_of(option->value()));
  }
  return info;
}

}  // namespace

// Finds out what the bytes of a File are, and fills in the File's fields.
class Opener {
 public:
  static absl::StatusOr<std::shared_ptr<const File>> open(std::shared_ptr<const MappedFile> mapping,
                                                          std::shared_ptr<const void> owner,
                                                          Bytes bytes, std::string name,
                                                          const FileOptions& options) {
    std::shared_ptr<File> file(
        new File(std::move(mapping), std::move(owner), bytes, std::move(name), options));
    Opener opener(*file);
    LM_RETURN_IF_ERROR(opener.read_magic());
    LM_RETURN_IF_ERROR(opener.read_session());
    // A file without an intact end is read from its front, so that whole frames before the damage
    // remain readable.
    if (!opener.read_closed().ok()) LM_RETURN_IF_ERROR(opener.scan());
    return file;
  }

 private:
  explicit Opener(File& file) : file_(file) {}

  absl::Status read_magic() const;
  absl::Status read_session();
  absl::Status read_closed();
  bool only_signatures(uint64_t begin, uint64_t end) const;
  absl::Status read_index(const FrameView& index);
  absl::Status scan();
  absl::Status take_scanned(const FrameView& frame);
  absl::Status check_scanned(const FrameView& frame) const;
  void end_scan(uint64_t end, std::string reason);
  void end_unclosed(uint64_t end, absl::string_view cause);

  File& file_;
};

absl::Status Opener::read_magic() const {
  const std::string& name = file_.name();
  // A writer that died before its first record leaves zeros alone.
  if (room_at_end(file_.bytes(), 0) == file_.size())
    return absl::InvalidArgumentError(absl::StrCat(name, " is empty"));
  const size_t present = std::min<size_t>(file_.size(), kMagic.size());
  if (std::memcmp(file_.bytes().data(), kMagic.data(), present) != 0) {
    return absl::InvalidArgumentError(absl::StrCat(name, " is not a Light Metal binary"));
  }
  if (present == kMagic.size()) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat(name, " is a Light Metal binary cut off after ", present, " bytes"));
}

absl::Status Opener::read_session() {
  LM_ASSIGN_OR_RETURN(frame, file_.frame_at(File::frames_begin()));
  if (frame.type() != FrameType::Session) return file_.error_at(frame.offset, "is no session");
  if (digest_of(frame.payload) != frame.digest()) {
    return file_.error_at(frame.offset, "is damaged: the checksum of the session is wrong");
  }
  if (!is_session(frame.payload)) return file_.error_at(frame.offset, "holds no session");
  const Session& session = *GetSession(frame.payload.data());
  if (!expanded_size_is_at_most(session, frame.payload.size())) {
    return file_.error_at(
        frame.offset, absl::StrCat("holds a session that names the same bytes more than once: its "
                                   "parts have more than its ",
                                   frame.payload.size(), " bytes"));
  }
  file_.session_ = info_of(session);
  if (file_.session_.version_major <= kVersionMajor) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat(
      file_.name(), " has format ", file_.session_.version_major, ".", file_.session_.version_minor,
      "; this reader knows formats up to ", kVersionMajor, ".x"));
}

// Reads the index by way of the footer, without reading what lies before it. Fails when the file
// does not end with an intact index and footer.
absl::Status Opener::read_closed() {
  if (file_.size() < File::frames_begin() + kFooterFrameSize) {
    return absl::NotFoundError("no room for a footer");
  }
  const uint64_t footer_offset = file_.size() - kFooterFrameSize;
  LM_ASSIGN_OR_RETURN(frame, file_.frame_at(footer_offset));
  Footer footer;
  if (frame.type() != FrameType::Footer || frame.payload.size() != sizeof(footer) ||
      digest_of(frame.payload) != frame.digest()) {
    return absl::NotFoundError("no footer");
  }
  std::memcpy(&footer, frame.payload.data(), sizeof(footer));
  LM_ASSIGN_OR_RETURN(index, file_.frame_at(footer.index_offset));
  if (index.type() != FrameType::Index || !only_signatures(index.end, footer_offset) ||
      digest_of(index.payload) != index.digest()) {
    return absl::NotFoundError("no index");
  }
  return read_index(index);
}

// Whether nothing but frames of signatures lies between the two offsets.
bool Opener::only_signatures(uint64_t begin, uint64_t end) const {
  while (begin < end) {
    const absl::StatusOr<FrameView> frame = file_.frame_at(begin);
    if (!frame.ok() || frame->type() != FrameType::Signature) return false;
    begin = frame->end;
  }
  return begin == end;
}

absl::Status Opener::read_index(const FrameView& index) {
  const auto bad = [&] { return file_.error_at(index.offset, "is an index of the wrong size"); };
  IndexHeader header;
  if (index.payload.size() < sizeof(header)) return bad();
  std::memcpy(&header, index.payload.data(), sizeof(header));
  const uint64_t per = header.commands_per_checkpoint;
  // No honest count exceeds the file's size. With this bound the sums below do not overflow.
  if (per == 0 ||
      std::max({header.num_commands, header.num_blobs, header.error_size}) > file_.size()) {
    return bad();
  }
  const uint64_t checkpoints = header.num_commands / per + (header.num_commands % per != 0);
  const uint64_t blobs_at = sizeof(header) + checkpoints * sizeof(uint64_t);
  const uint64_t error_at = blobs_at + header.num_blobs * sizeof(BlobEntry);
  if (error_at + header.error_size != index.payload.size()) return bad();

  const std::byte* data = index.payload.data();
  file_.num_commands_ = header.num_commands;
  file_.commands_per_checkpoint_ = per;
  file_.checkpoints_ = {reinterpret_cast<const uint64_t*>(data + sizeof(header)), checkpoints};
  file_.blobs_ = {reinterpret_cast<const BlobEntry*>(data + blobs_at), header.num_blobs};
  file_.closed_ = true;
  file_.frames_end_ = file_.size();
  if (header.error_code == 0) return absl::OkStatus();
  const absl::string_view message(reinterpret_cast<const char*>(data + error_at),
                                  header.error_size);
  file_.capture_status_ = absl::Status(error_code_of(header.error_code), message);
  file_.incomplete_reason_ = absl::StrCat("the capture ended with an error: ", message);
  return absl::OkStatus();
}

// Reads whole frames up to the first that is damaged or cut off, or to a footer. A frame that only
// a newer reader knows is an error instead: what lies behind it is not lost.
absl::Status Opener::scan() {
  uint64_t offset = File::frames_begin();
  ForwardPass pass(file_);
  while (offset < file_.size()) {
    pass.reach(offset);
    absl::StatusOr<FrameView> frame = file_.frame_at(offset);
    if (absl::IsUnimplemented(frame.status())) return frame.status();
    absl::Status status = frame.status();
    if (status.ok()) status = check_scanned(*frame);
    if (status.ok()) status = take_scanned(*frame);
    if (!status.ok()) {
      end_unclosed(offset, status.message());
      return absl::OkStatus();
    }
    offset = frame->end;
    if (frame->type() == FrameType::Footer) {
      end_scan(offset,
               absl::StrCat(file_.size() - offset, " bytes follow its footer, which ends at ",
                            offset, " of ", file_.size()));
      return absl::OkStatus();
    }
  }
  end_unclosed(offset, "");
  return absl::OkStatus();
}

absl::Status Opener::check_scanned(const FrameView& frame) const {
  if (file_.digest_of_payload(frame) != frame.digest()) {
    return file_.error_at(frame.offset, "is damaged: its checksum is wrong");
  }
  // read_closed() has refused this footer, so the file is not scanned up to it as if it were whole.
  if (frame.type() == FrameType::Footer && frame.end == file_.size()) {
    return file_.error_at(frame.offset, "is a footer that does not fit its index");
  }
  return absl::OkStatus();
}

absl::Status Opener::take_scanned(const FrameView& frame) {
  if (frame.type() == FrameType::Command) {
    if (file_.num_commands_++ % kCommandsPerCheckpoint == 0) {
      file_.scanned_checkpoints_.push_back(frame.offset);
    }
  } else if (is_blob(frame.type())) {
    LM_ASSIGN_OR_RETURN(blob, file_.blob_in(frame));
    file_.scanned_blobs_.push_back(blob);
  }
  return absl::OkStatus();
}

void Opener::end_scan(uint64_t end, std::string reason) {
  std::sort(file_.scanned_blobs_.begin(), file_.scanned_blobs_.end(),
            [](const BlobEntry& a, const BlobEntry& b) { return a.digest < b.digest; });
  file_.checkpoints_ = file_.scanned_checkpoints_;
  file_.blobs_ = file_.scanned_blobs_;
  file_.frames_end_ = end;
  file_.incomplete_reason_ = std::move(reason);
}

void Opener::end_unclosed(uint64_t end, absl::string_view cause) {
  // Room that a writer took and did not use is no damage, and is not counted.
  const uint64_t used = file_.size() - room_at_end(file_.bytes(), end);
  end_scan(end, absl::StrCat("it was not closed; whole frames up to offset ", end, " of ", used,
                             end == used ? "" : "; ", end == used ? "" : cause));
}

absl::StatusOr<std::shared_ptr<const File>> File::open(const std::string& path,
                                                       const FileOptions& options) {
  LM_ASSIGN_OR_RETURN(mapping, MappedFile::open(path));
  return from_mapping(std::move(mapping), path, options);
}

absl::StatusOr<std::shared_ptr<const File>> File::from_mapping(
    std::shared_ptr<const MappedFile> mapping, std::string name, const FileOptions& options) {
  const Bytes bytes = mapping->bytes();
  return Opener::open(std::move(mapping), nullptr, bytes, std::move(name), options);
}

absl::StatusOr<std::shared_ptr<const File>> File::from_memory(std::shared_ptr<const void> owner,
                                                              Bytes bytes, std::string name,
                                                              const FileOptions& options) {
  if (reinterpret_cast<uintptr_t>(bytes.data()) % kFrameAlignment != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " begins at an address that is no multiple of ", kFrameAlignment));
  }
  return Opener::open(nullptr, std::move(owner), bytes, std::move(name), options);
}

absl::StatusOr<std::shared_ptr<const File>> File::from_bytes(std::vector<std::byte> bytes,
                                                             std::string name,
                                                             const FileOptions& options) {
  const auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  return from_memory(owner, *owner, std::move(name), options);
}

}  // namespace lightmetal::schema
