#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/digest.h"
#include "schema/command_generated.h"
#include "schema/frame.h"
#include "schema/session_info.h"

namespace lightmetal::schema {

// A frame inside a file, its header checked and its payload inside the file. The payload's digest
// is not checked.
struct FrameView {
  uint64_t offset = 0;  // of the header
  FrameHeader header;
  Bytes payload;
  uint64_t end = 0;  // the offset of what follows

  FrameType type() const { return static_cast<FrameType>(header.type); }
  ::lightmetal::Digest digest() const { return {header.digest_low, header.digest_high}; }
};

// A command, safe to read. It points into the file.
struct CommandView {
  uint64_t number = 0;  // from 0
  uint64_t offset = 0;  // of its frame in the file
  const Command* command = nullptr;
};

// An opened file. Nothing that is read from it is trusted: every access checks bounds and the
// frame's header, a command is checked as a FlatBuffer, and whatever is wrong is an error that
// names the file and the offset. Payload checksums and meaning are verify()'s (schema/verify.h);
// check a whole file once before use.
//
// Immutable and thread-safe. What it returns points into the file and lives as long as it. A file
// that another process cuts short while it is open raises SIGBUS, as any mapped file does.
class File {
 public:
  // Maps the file. A file that was closed opens in time that depends only on its index; one that
  // was not is scanned and checked up to its last whole frame.
  static absl::StatusOr<std::shared_ptr<const File>> open(const std::string& path);

  // The same on bytes in memory; `name` stands for the path in messages.
  static absl::StatusOr<std::shared_ptr<const File>> from_bytes(
      std::vector<std::byte> bytes, std::string name = "the file in memory");

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

  // Command `number`, counted from 0; looks at up to kCommandsPerCheckpoint commands and the blobs
  // between them.
  absl::StatusOr<CommandView> command(uint64_t number) const;

  // Calls `visitor` for the commands first, first + 1, ..., last - 1, in order, until it returns an
  // error.
  absl::Status for_each_command(uint64_t first, uint64_t last,
                                absl::FunctionRef<absl::Status(const CommandView&)> visitor) const;
  absl::Status for_each_command(absl::FunctionRef<absl::Status(const CommandView&)> visitor) const {
    return for_each_command(0, num_commands(), visitor);
  }

  // The bytes that `reference` names. An empty payload has no data pointer to rely on.
  absl::StatusOr<Bytes> blob(const BlobRef& reference) const;
  // Its entry in the index; null when the file does not have it.
  const BlobEntry* find_blob(const BlobRef& reference) const;

  // Frames as they lie in the file, for tools: from frames_begin() to frames_end(), each at the end
  // of the one before.
  static constexpr uint64_t frames_begin() { return kMagic.size(); }
  uint64_t frames_end() const { return frames_end_; }
  absl::StatusOr<FrameView> frame_at(uint64_t offset) const;
  Bytes bytes() const { return bytes_; }

  // "FILE: the frame at offset N MESSAGE".
  absl::Status error_at(uint64_t offset, absl::string_view message) const;

 private:
  friend class Opener;

  File(std::shared_ptr<const void> owner, Bytes bytes, std::string name)
      : owner_(std::move(owner)), bytes_(bytes), name_(std::move(name)) {}

  const std::shared_ptr<const void> owner_;
  const Bytes bytes_;
  const std::string name_;
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

}  // namespace lightmetal::schema
