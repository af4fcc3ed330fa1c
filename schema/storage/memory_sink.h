#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/digest.h"
#include "schema/storage/sink.h"
#include "schema/storage/temporary_file.h"

namespace lightmetal::schema {

// Keeps the bytes in memory, in pieces, so that bytes never move while more are appended. Beyond
// `limit` bytes, all of them go to a temporary file and none stay in memory. Not thread-safe.
class MemorySink final : public Sink {
 public:
  explicit MemorySink(uint64_t limit = std::numeric_limits<uint64_t>::max());
  ~MemorySink() override;

  // ResourceExhausted, rather than an exception, when there is no memory left.
  absl::Status append(absl::Span<const Bytes> parts) override;
  absl::StatusOr<bool> append_if(const ::lightmetal::Digest& digest, Bytes head, Bytes content,
                                 Bytes tail) override;
  absl::Status close() override;
  uint64_t size() const override { return size_; }
  void leave_to_parent() override;

  // The file that holds all bytes; null while they are in memory.
  std::shared_ptr<const TemporaryFile> file() const { return file_; }

  // Returns all bytes in one vector, of a type of one byte, and leaves the sink empty. REQUIRES: no
  // file().
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

  // Moves to a file if memory may not hold `added` bytes more.
  absl::Status make_room(uint64_t added);
  absl::Status append_to_memory(absl::Span<const Bytes> parts);
  absl::Status append_part(Bytes part);
  // The same for bytes that may change: `digester` gets them as they were stored.
  absl::Status append_part(Bytes part, Digester& digester);
  // Stores as many bytes of `part` as fit, and at most `most`. Returns what was stored.
  absl::StatusOr<Bytes> store_some(Bytes part, size_t most);
  // Takes the last `size` bytes back.
  void take_back(uint64_t size);
  absl::Status add_piece(size_t least);
  // Moves all bytes to a file, to which everything is appended from then on.
  absl::Status spill();

  const uint64_t limit_;
  std::vector<Piece> pieces_;
  uint64_t size_ = 0;
  std::shared_ptr<const TemporaryFile> file_;
  std::unique_ptr<Sink> file_sink_;  // writes to file_
};

}  // namespace lightmetal::schema
