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
#include "absl/types/span.h"
#include "base/digest.h"
#include "schema/storage/payload.h"

// The payload of a frame of type CompressedBlob: a header, a table with the end of each chunk, and
// the chunks. docs/format.md is its grammar.

namespace lightmetal::schema {

// As it lies in the file: the layout is permanent.
struct CompressedBlobHeader {
  ::lightmetal::Digest digest;  // of the content: the blob's name
  uint64_t size = 0;            // of the content
  uint32_t chunk_size = 0;      // bytes of content in each chunk but the last, which has the rest
  uint32_t codec = 0;
};
static_assert(sizeof(CompressedBlobHeader) == 32);

inline constexpr uint32_t kCodecZstd = 1;  // permanent number
// The chunk sizes that a reader accepts, in bytes: powers of two in this range. A reader needs
// memory for one chunk to check a blob, so the upper limit bounds what a hostile file can ask for.
inline constexpr uint32_t kMinChunkSize = 64 * 1024;
inline constexpr uint32_t kMaxChunkSize = 16 * 1024 * 1024;
// The most content, in bytes, that a reader accepts for one blob, unless it is told otherwise
// (FileOptions). A writer stores more content than that uncompressed.
inline constexpr uint64_t kMaxCompressedContent = uint64_t{16} << 30;
// The chunk size that the writer chooses.
inline constexpr uint32_t kChunkSize = 1024 * 1024;

// zstd's levels go further; those beyond need much memory to decompress.
inline constexpr int kMaxCompressionLevel = 19;

// Reads compressed content that lies inside a file; the file's bytes must stay readable as long as
// the object lives. Trusts nothing in them: sizes are checked before anything is allocated, and
// what is allocated follows from the table of chunks, not from what the compressed bytes say of
// themselves. Errors are clauses to follow "the frame at offset N". Immutable and thread-safe.
class CompressedBlob {
 public:
  // Checks the header, and that the table and the chunks fit into `payload`, in constant time.
  static absl::StatusOr<CompressedBlob> parse(Bytes payload);

  const ::lightmetal::Digest& digest() const { return header_.digest; }
  uint64_t size() const { return header_.size; }
  uint64_t num_chunks() const { return num_chunks_; }

  // Calls `visitor` with the content of each chunk, in order, until it returns an error. Needs
  // memory for one chunk; the content is valid during the call.
  absl::Status for_each_chunk(absl::FunctionRef<absl::Status(Bytes)> visitor) const;

  // Reads bytes [offset, offset + target.size()) of the content. Decompresses only the chunks that
  // they lie in, and does not check the content's digest. OutOfRange when they are not all there.
  absl::Status read(uint64_t offset, absl::Span<std::byte> target) const;

  // Returns all of the content, with its digest checked. ResourceExhausted when there is no memory
  // for it.
  absl::StatusOr<Payload> decompress() const;

  // Reads all of the content and checks its digest. Needs memory for one chunk.
  absl::Status check() const;

 private:
  class Reader;

  uint64_t end_of(uint64_t chunk) const;
  uint64_t content_size_of(uint64_t chunk) const;
  absl::StatusOr<Bytes> stored(uint64_t chunk) const;

  CompressedBlobHeader header_;
  uint64_t num_chunks_ = 0;
  Bytes table_;
  Bytes chunks_;
};

// What to write for a payload: the parts of a frame's payload, in order.
struct CompressedParts {
  std::string head;  // the header and the table
  std::vector<Bytes> chunks;
  std::vector<std::unique_ptr<std::byte[]>> memory;  // holds the chunks
  uint64_t size = 0;                                 // of all parts

  std::vector<Bytes> parts() const;
};

// Compresses payloads, one at a time, and keeps zstd's memory between them. Not thread-safe.
class Compressor {
 public:
  // REQUIRES: 1 <= level <= kMaxCompressionLevel.
  explicit Compressor(int level);
  ~Compressor();
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  // Returns nullopt if compression does not pay: for small content, and where it would save less
  // than a sixteenth, which samples decide for large content. Also if the result would take more
  // than 128 MiB, which have to be in memory at once, and if the content that was compressed does
  // not have this digest, since another thread has changed it. The same content and level give the
  // same bytes.
  std::optional<CompressedParts> compress(Bytes content, const ::lightmetal::Digest& digest);

 private:
  struct Context;

  // Copies the content, which another thread may change, to memory where it stays as it is.
  Bytes copy_of(Bytes content);
  // Leaves the compressed content in the scratch memory and returns its size; returns at least the
  // size of `content` when compression is no gain.
  uint64_t compress_to_scratch(Bytes content);
  bool seems_to_pay(Bytes content);
  Bytes compress_chunk(Bytes content, CompressedParts& out);

  const int level_;
  const std::unique_ptr<Context> context_;
};

}  // namespace lightmetal::schema
