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

// Writes to a regular file, at once, most of it without a system call: what is small is stored into
// a window of the file, and what is large is written. Either survives the death of the process,
// since the page cache has it; nothing is synchronised to the disk.
//
// The file grows by pieces of zeros, so that a disk that is full and a limit of file sizes are
// errors there and no signals later; close() cuts it to its length, and a process that dies leaves
// the zeros behind the last record. No more of the file than two pieces is mapped.
//
// The descriptor is used when a piece begins, for what is large, and at the end; a program that
// closes or takes it loses nothing, as long as the file's path still leads to it. Where stores are
// not possible (the file system maps nothing, the program handles SIGBUS itself) all is written.
class MappedSink final : public Sink {
 public:
  // Records of so many bytes and more are written: payloads that begin a page, among others.
  static constexpr uint64_t kWritten = uint64_t{64} << 10;

  // Creates the file, or empties it when it exists. Errors are those of OwnFile::create.
  static absl::StatusOr<std::unique_ptr<MappedSink>> create(const std::string& path);
  // To an empty temporary file that nobody else writes to.
  static absl::StatusOr<std::unique_ptr<MappedSink>> write_to(const TemporaryFile& file);

  explicit MappedSink(OwnFile file);
  MappedSink(const MappedSink&) = delete;
  MappedSink& operator=(const MappedSink&) = delete;
  ~MappedSink() override;

  absl::Status append(absl::Span<const Bytes> parts) override;
  absl::Status close() override;
  uint64_t size() const override { return size_; }
  void leave_to_parent() override;

 private:
  absl::Status prepare_file();
  bool prepare_window(uint64_t size);
  bool fill_up_to(uint64_t end);
  absl::Status write_at(uint64_t offset, absl::Span<const Bytes> parts);
  absl::Status write(absl::Span<const Bytes> parts);
  absl::Status cut_to_length();
  absl::Status fail(absl::Status error);

  OwnFile file_;
  FileWindow window_;
  bool can_map_ = true;
  uint64_t piece_;       // by which the file grows next
  uint64_t size_ = 0;    // of what was appended
  uint64_t filled_ = 0;  // of the file
  absl::Status status_;  // the first error
};

// The file that a capture is written to: a regular file, which need not be there, by a MappedSink,
// anything else by a FileSink.
absl::StatusOr<std::shared_ptr<Sink>> create_capture_file(const std::string& path);

}  // namespace lightmetal::schema
