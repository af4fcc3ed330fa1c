#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/digest.h"
#include "schema/file_identity.h"
#include "schema/own_file.h"
#include "schema/temporary_file.h"

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

  // In a forked child: lets go of what it inherited. The file and its lock are the parent's.
  virtual void leave_to_parent() {}
};

// How many bytes all parts have.
inline uint64_t size_of(absl::Span<const Bytes> parts) {
  uint64_t size = 0;
  for (const Bytes part : parts) size += part.size();
  return size;
}

// Keeps the bytes in memory, in pieces: what is there never moves while more comes. Beyond a limit
// all bytes go to a temporary file, and none stay in memory.
class MemorySink final : public Sink {
 public:
  explicit MemorySink(uint64_t limit = std::numeric_limits<uint64_t>::max());
  ~MemorySink() override;

  // ResourceExhausted, rather than an exception, when there is no memory left.
  absl::Status append(absl::Span<const Bytes> parts) override;
  absl::Status close() override;
  uint64_t size() const override { return size_; }
  void leave_to_parent() override;

  // The file that holds all bytes; null while they are in memory.
  std::shared_ptr<const TemporaryFile> file() const { return file_; }

  // All bytes in one piece, of a type of one byte. Leaves the sink empty. REQUIRES: no file().
  template <class Byte>
  std::vector<Byte> take_as() {
    static_assert(sizeof(Byte) == 1);
    std::vector<Byte> all;
    all.reserve(size_);
    for (Piece& piece : pieces_) {
      const auto* begin = reinterpret_cast<const Byte*>(piece.bytes.get());
      all.insert(all.end(), begin, begin + piece.used);
      piece.bytes.reset();  // so that no more than one piece is in memory twice
    }
    pieces_.clear();
    size_ = 0;
    return all;
  }
  std::vector<std::byte> take() { return take_as<std::byte>(); }

 private:
  struct Free {
    void operator()(std::byte* bytes) const { std::free(bytes); }
  };
  struct Piece {
    std::unique_ptr<std::byte[], Free> bytes;
    size_t used = 0;
    size_t capacity = 0;
  };

  absl::Status append_to_memory(absl::Span<const Bytes> parts);
  absl::Status append_part(Bytes part);
  absl::Status add_piece(size_t least);
  // Moves what is in memory to a file, to which everything goes from then on.
  absl::Status spill();

  const uint64_t limit_;
  std::vector<Piece> pieces_;
  uint64_t size_ = 0;
  std::shared_ptr<const TemporaryFile> file_;
  std::unique_ptr<Sink> file_sink_;  // writes to it
};

// Writes to a file, a pipe or a device, at once and from where it stands: what was appended
// survives the death of the process. It is not synchronised to the disk. No write raises a signal,
// and none goes to a file of the program's that has got the descriptor's number. A pipe whose
// reader takes nothing for some seconds is given up.
class FileSink final : public Sink {
 public:
  // Creates the file, or empties it when it exists. Errors are those of OwnFile::create.
  static absl::StatusOr<std::unique_ptr<FileSink>> create(const std::string& path);
  // To an empty file that is open for writing, under the name that errors say. The descriptor stays
  // the caller's.
  static absl::StatusOr<std::unique_ptr<FileSink>> append_to(int descriptor, std::string name);

  explicit FileSink(OwnFile file) : file_(std::move(file)) {}
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;
  ~FileSink() override;

  absl::Status append(absl::Span<const Bytes> parts) override;
  absl::Status close() override;
  uint64_t size() const override { return size_; }
  void leave_to_parent() override { file_.leave(); }

  // The open file, which stays this sink's; -1 once it is closed.
  int descriptor() const { return file_.descriptor(); }
  // What the descriptor stands for, unless the program has closed it.
  const FileIdentity& identity() const { return file_.identity(); }
  const std::string& path() const { return file_.path(); }

 private:
  ssize_t write_some(const iovec* parts, int count);

  OwnFile file_;
  uint64_t size_ = 0;
  absl::Status status_;  // the first error
};

}  // namespace lightmetal::schema
