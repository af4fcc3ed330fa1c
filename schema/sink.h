#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/digest.h"

namespace lightmetal::schema {

// Where a Writer puts its bytes. Not thread-safe: the Writer calls it under its lock.
class Sink {
 public:
  virtual ~Sink() = default;

  // Appends all parts in order. After an error the sink may hold a part of them and is good for
  // nothing more.
  virtual absl::Status append(absl::Span<const Bytes> parts) = 0;

  // Nothing is appended afterwards. Reports what could not be written.
  virtual absl::Status close() = 0;

  // Bytes appended so far.
  virtual uint64_t size() const = 0;
};

// Keeps the bytes in memory, in pieces: what is there never moves while more comes.
class MemorySink final : public Sink {
 public:
  absl::Status append(absl::Span<const Bytes> parts) override;
  absl::Status close() override { return absl::OkStatus(); }
  uint64_t size() const override { return size_; }

  // All bytes in one piece. Leaves the sink empty.
  std::vector<std::byte> take();

 private:
  struct Free {
    void operator()(std::byte* bytes) const { std::free(bytes); }
  };
  struct Piece {
    std::unique_ptr<std::byte[], Free> bytes;
    size_t used = 0;
    size_t capacity = 0;
  };

  void append_part(Bytes part);
  void add_piece(size_t least);

  std::vector<Piece> pieces_;
  uint64_t size_ = 0;
};

// Writes to a file, at once: what was appended survives the death of the process, since the page
// cache has it. It is not synchronised to the disk.
class FileSink final : public Sink {
 public:
  // Creates the file, or empties it when it exists. Errors name the path and the reason;
  // AlreadyExists when another sink, of this process or not, has it open.
  static absl::StatusOr<std::unique_ptr<FileSink>> create(const std::string& path);

  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;
  ~FileSink() override;

  absl::Status append(absl::Span<const Bytes> parts) override;
  absl::Status close() override;
  uint64_t size() const override { return size_; }

 private:
  FileSink(std::string path, int file);

  absl::Status fail(const char* action, int error);

  const std::string path_;
  const bool size_is_limited_;
  int file_;
  uint64_t size_ = 0;
  absl::Status status_;  // the first error
};

}  // namespace lightmetal::schema
