#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/digest.h"
#include "base/reference_options.h"
#include "schema/commands/forward.h"
#include "schema/file/compressed_blob.h"
#include "schema/file/external_blob.h"
#include "schema/file/external_files.h"
#include "schema/file/frame.h"
#include "schema/file/session_info.h"
#include "schema/storage/mapped_file.h"
#include "schema/storage/payload.h"

namespace lightmetal::schema {

// A frame inside a file. Its header is checked and its payload lies inside the file; the payload's
// digest is not checked.
struct FrameView {
  uint64_t offset = 0;  // of the header
  FrameHeader header;
  Bytes payload;
  uint64_t end = 0;  // the offset of what follows

  FrameType type() const { return static_cast<FrameType>(header.type); }
  ::lightmetal::Digest digest() const { return {header.digest_low, header.digest_high}; }
};

// A command, safe to read. It points into the file and is valid as long as the File lives.
struct CommandView {
  uint64_t number = 0;  // from 0
  uint64_t offset = 0;  // of its frame in the file
  const Command* command = nullptr;
};

struct FileOptions {
  // How payloads that lie in other files are found; by default, none is.
  ReferenceOptions references = {};

  // The most bytes that one compressed payload may claim to have. No memory is taken for more, and
  // verify() refuses it.
  uint64_t max_decompressed_size = kMaxCompressedContent;
};

// An opened file. Nothing that is read from it is trusted: every access checks bounds and the
// frame's header, a command is checked as a FlatBuffer, and whatever is wrong is an error that
// names the file and the offset. What File does not check are payload checksums and meaning:
// verify() does (schema/verify/verify.h), so check a whole file once before it is used.
//
// Immutable and thread-safe. What a File returns points into it and is valid as long as the File
// lives; a Payload also after that. A file that another process cuts short while it is open raises
// SIGBUS, as any mapped file does.
class File {
 public:
  // Maps the file and opens it. The time to open a closed file depends only on its index; a file
  // that was not closed is scanned, and checked up to its last whole frame.
  static absl::StatusOr<std::shared_ptr<const File>> open(const std::string& path,
                                                          const FileOptions& options = {});

  // These open a file that is mapped already, or bytes in memory, which `owner` keeps readable or
  // which the File takes over. `name` stands for the path in messages. InvalidArgument when bytes
  // in memory do not begin at a multiple of kFrameAlignment: a file is read where it lies.
  static absl::StatusOr<std::shared_ptr<const File>> from_mapping(
      std::shared_ptr<const MappedFile> mapping, std::string name, const FileOptions& options = {});
  static absl::StatusOr<std::shared_ptr<const File>> from_memory(
      std::shared_ptr<const void> owner, Bytes bytes, std::string name = "the file in memory",
      const FileOptions& options = {});
  static absl::StatusOr<std::shared_ptr<const File>> from_bytes(
      std::vector<std::byte> bytes, std::string name = "the file in memory",
      const FileOptions& options = {});

  File(const File&) = delete;
  File& operator=(const File&) = delete;

  const std::string& name() const { return name_; }
  const SessionInfo& session() const { return session_; }

  // True when the file was closed after a capture that had no error.
  bool complete() const { return incomplete_reason_.empty(); }
  // One clause that says how far the file goes or what ended the capture; empty for a complete
  // file.
  const std::string& incomplete_reason() const { return incomplete_reason_; }
  // The error that the capture reported when it closed the file.
  const absl::Status& capture_status() const { return capture_status_; }
  // True when the file has its index and footer.
  bool closed() const { return closed_; }

  uint64_t size() const { return bytes_.size(); }
  uint64_t num_commands() const { return num_commands_; }
  absl::Span<const BlobEntry> blobs() const { return blobs_; }  // in ascending order of digest

  // The offsets of every commands_per_checkpoint()-th command, from the first.
  absl::Span<const uint64_t> checkpoints() const { return checkpoints_; }
  uint64_t commands_per_checkpoint() const { return commands_per_checkpoint_; }

  // Finds command `number`, counted from 0, from the checkpoint before it: looks at up to
  // commands_per_checkpoint() commands and the blobs between them. OutOfRange when there is no such
  // command.
  absl::StatusOr<CommandView> command(uint64_t number) const;

  // Calls `visitor` for the commands first, first + 1, ..., last - 1, in order, until it returns an
  // error, which is returned.
  absl::Status for_each_command(uint64_t first, uint64_t last,
                                absl::FunctionRef<absl::Status(const CommandView&)> visitor) const;
  absl::Status for_each_command(absl::FunctionRef<absl::Status(const CommandView&)> visitor) const {
    return for_each_command(0, num_commands(), visitor);
  }

  // The bytes that `reference` names. Where they lie in this file or in another one, they are not
  // copied; where they are compressed, they are decompressed into memory of their own. The content
  // of a compressed payload is checked; that of a payload in another file is checked when it is
  // first used, as the options say. NotFound when the file does not have the payload,
  // PermissionDenied when it lies in a file that the options do not allow to open.
  absl::StatusOr<Payload> blob(const BlobRef& reference) const;

  // Reads bytes [offset, offset + target.size()) of what `reference` names. Of a compressed payload
  // it decompresses only the chunks that they lie in, and does not check the content. OutOfRange
  // when the bytes are not all there.
  absl::Status read_blob(const BlobRef& reference, uint64_t offset,
                         absl::Span<std::byte> target) const;

  // The payload's entry in the index; null when the file does not have the payload.
  const BlobEntry* find_blob(const BlobRef& reference) const;
  // The form in which the file holds the payload; nullopt when it does not.
  std::optional<FrameType> form_of(const BlobRef& reference) const;

  // Frames as they lie in the file, for tools: from frames_begin() to frames_end(), each where the
  // one before ends.
  static constexpr uint64_t frames_begin() { return kMagic.size(); }
  uint64_t frames_end() const { return frames_end_; }
  absl::StatusOr<FrameView> frame_at(uint64_t offset) const;
  // The command in a frame. An error names the frame, and the versions when the call is not known.
  // REQUIRES: the frame is a command.
  absl::StatusOr<const Command*> command_in(const FrameView& frame) const;
  Bytes bytes() const { return bytes_; }

  // The payloads that lie in other files, in ascending order of their digests.
  absl::StatusOr<std::vector<ExternalBlobInfo>> external_blobs() const;
  // The path of this file and the paths of the files that its payloads lie in, both as recorded and
  // as the options have them, so far as they can be read. Whoever reads the file must not write to
  // any of them.
  std::vector<std::string> paths() const;
  // Finds and checks all payloads that lie in other files, as the options say. Returns the first
  // error.
  absl::Status check_external_blobs() const;

  // The name, size and place of the blob that a frame holds in whichever form, checked without a
  // pass over the content. REQUIRES: is_blob(frame.type()).
  absl::StatusOr<BlobEntry> blob_in(const FrameView& frame) const;
  // Checks the content of a compressed blob, in memory for one chunk. Returns OK for other frames.
  absl::Status check_compressed(const FrameView& frame) const;
  // Finds and checks the other file of an external blob, as the options say. Returns OK for other
  // frames.
  absl::Status check_external(const FrameView& frame) const;

  // The XXH3-128 of the frame's payload. The pages of a large payload are given back while it is
  // read.
  ::lightmetal::Digest digest_of_payload(const FrameView& frame) const;

  // A hint that nobody reads these bytes soon, which bounds how much of a mapped file is resident
  // (MappedFile::release). REQUIRES: the bytes lie in the file.
  void release(uint64_t offset, uint64_t size) const {
    if (mapping_ != nullptr) mapping_->release(offset, size);
  }

  // "FILE: the frame at offset N MESSAGE".
  absl::Status error_at(uint64_t offset, absl::string_view message) const;

 private:
  friend class Opener;

  File(std::shared_ptr<const MappedFile> mapping, std::shared_ptr<const void> owner, Bytes bytes,
       std::string name, const FileOptions& options)
      : mapping_(std::move(mapping)),
        owner_(std::move(owner)),
        bytes_(bytes),
        name_(std::move(name)),
        max_decompressed_size_(options.max_decompressed_size),
        external_files_(std::make_unique<ExternalFiles>(options.references)) {}

  // The frame of the payload that `reference` names, checked against the index.
  absl::StatusOr<FrameView> frame_of(const BlobRef& reference) const;
  absl::StatusOr<CompressedBlob> compressed_in(const FrameView& frame) const;
  absl::StatusOr<ExternalBlobInfo> external_in(const FrameView& frame) const;
  absl::StatusOr<Payload> payload_in(const FrameView& frame) const;
  absl::Status compressed_error(const FrameView& frame, const absl::Status& status) const;
  absl::Status external_error(const FrameView& frame, const absl::Status& status) const;

  const std::shared_ptr<const MappedFile> mapping_;  // null for bytes in memory
  const std::shared_ptr<const void> owner_;          // of bytes in memory
  const Bytes bytes_;
  const std::string name_;
  const uint64_t max_decompressed_size_;
  const std::unique_ptr<ExternalFiles> external_files_;  // thread-safe
  SessionInfo session_;
  bool closed_ = false;
  std::string incomplete_reason_;
  absl::Status capture_status_;
  uint64_t frames_end_ = 0;
  uint64_t num_commands_ = 0;
  uint64_t commands_per_checkpoint_ = kCommandsPerCheckpoint;
  absl::Span<const uint64_t> checkpoints_;  // in the file's index, or in scanned_checkpoints_
  absl::Span<const BlobEntry> blobs_;
  std::vector<uint64_t> scanned_checkpoints_;
  std::vector<BlobEntry> scanned_blobs_;
};

// A pass over a file from its front to its end, which gives back what lies behind it, so that it
// needs the same memory for a file of any size. The File outlives it. Not thread-safe.
class ForwardPass {
 public:
  explicit ForwardPass(const File& file, uint64_t begin = 0) : file_(file), released_(begin) {}

  // Says that nothing before `offset` is needed soon. REQUIRES: `offset` is not below `begin` or an
  // earlier `offset`.
  void reach(uint64_t offset) {
    if (offset - released_ < kStep) return;
    file_.release(released_, offset - released_);
    released_ = offset;
  }

 private:
  static constexpr uint64_t kStep = uint64_t{1} << 20;

  const File& file_;
  uint64_t released_;
};

}  // namespace lightmetal::schema
