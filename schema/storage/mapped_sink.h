#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/digest.h"
#include "schema/storage/file_window.h"
#include "schema/storage/own_file.h"
#include "schema/storage/sink.h"
#include "schema/storage/temporary_file.h"

namespace lightmetal::schema {

// Writes to a regular file, at once, most of it without a system call: small records are stored
// into a window of the file, large ones are written. Either survives the death of the process,
// since the page cache has it. Nothing is synchronised to the disk. Not thread-safe.
//
// The file grows by pieces of zeros, so that a full disk and a limit of file sizes are errors when
// a piece begins and no signals at a store. close() cuts the file to its length; a process that
// dies leaves zeros behind the last record. No more of the file than two pieces is mapped.
//
// The descriptor is used when a piece begins, for large records, and at the end. A program that
// closes the descriptor or takes its number loses nothing, as long as the file's path still leads
// to the file. Where stores are not possible (the file system maps nothing, or the program handles
// SIGBUS itself), all records are written.
class MappedSink final : public Sink {
 public:
  // Records of so many bytes and more are written rather than stored.
  static constexpr uint64_t kWritten = uint64_t{64} << 10;

  // Creates the file, or empties it when it exists. Errors are those of OwnFile::create.
  static absl::StatusOr<std::unique_ptr<MappedSink>> create(const std::string& path);
  // Writes to a temporary file, with a descriptor of its own. REQUIRES: the file is empty, and
  // nobody else writes to it.
  static absl::StatusOr<std::unique_ptr<MappedSink>> write_to(const TemporaryFile& file);

  explicit MappedSink(OwnFile file);
  MappedSink(const MappedSink&) = delete;
  MappedSink& operator=(const MappedSink&) = delete;
  ~MappedSink() override;

  absl::Status append(absl::Span<const Bytes> parts) override;
  absl::StatusOr<bool> append_if(const ::lightmetal::Digest& digest, Bytes head, Bytes content,
                                 Bytes tail) override;
  absl::Status close() override;
  uint64_t size() const override { return size_; }
  void leave_to_parent() override;

 private:
  absl::Status prepare_file();
  bool prepare_window(uint64_t size);
  bool fill_up_to(uint64_t end);
  absl::Status write_at(uint64_t offset, absl::Span<const Bytes> parts);
  absl::Status write(absl::Span<const Bytes> parts);
  // Writes copies of the blocks of `content`, and adds what was written to `digester`.
  absl::Status write_blocks(Bytes head, Bytes content, Bytes tail, Digester& digester);
  absl::Status cut_to_length();
  // Keeps the first error and returns it.
  absl::Status fail(absl::Status error);

  OwnFile file_;
  FileWindow window_;
  bool can_map_ = true;
  uint64_t piece_;                      // the bytes by which the file grows next
  uint64_t size_ = 0;                   // the bytes that were appended
  uint64_t filled_ = 0;                 // the file's length: what was appended, and zeros behind it
  absl::Status status_;                 // the first error
  std::unique_ptr<std::byte[]> block_;  // for write_blocks(); null until its first call
};

// Opens the file that a capture is written to: a regular file, which need not exist, by a
// MappedSink; a pipe, a device or a file that may not be read by a FileSink.
absl::StatusOr<std::shared_ptr<Sink>> create_capture_file(const std::string& path);

}  // namespace lightmetal::schema
