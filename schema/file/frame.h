#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/digest.h"

// The layout of a file, byte for byte; docs/format.md is its grammar. All numbers are
// little-endian. Structs, numbers of enumerations and the checksum are permanent: old files keep
// their meaning.

namespace lightmetal::schema {

static_assert(std::endian::native == std::endian::little,
              "frames are written as they lie in memory");

// The first bytes of every file. Chosen so that a transfer as text, with its line ends changed or
// its eighth bit cut off, breaks them.
inline constexpr std::string_view kMagic{"\x89LMB\r\n\x1a\n", 8};

// The version that writers write. A reader refuses a greater major version. Within its own major
// version it refuses every frame that it neither knows nor may skip.
inline constexpr uint32_t kVersionMajor = 1;
inline constexpr uint32_t kVersionMinor = 2;

inline constexpr uint64_t kFrameAlignment = 8;
inline constexpr uint64_t kPageSize = 4096;
// Blobs of this size and more start at a multiple of kPageSize, so that they can be mapped.
inline constexpr uint64_t kPageAlignedBlob = 64 * 1024;
// A checkpoint, which is an offset in the index, is at the first of every so many commands.
inline constexpr uint64_t kCommandsPerCheckpoint = 256;

// The types of frames. The numbers are permanent.
enum class FrameType : uint16_t {
  Session = 1,  // the first frame: a FlatBuffer of session.fbs
  Command = 2,  // one size-prefixed FlatBuffer of command.fbs
  Blob = 3,     // raw bytes, named by the digest in the header
  Padding = 4,  // zeros
  Index = 5,    // IndexHeader, checkpoints, blob entries, error text
  Footer = 6,   // Footer; ends a file that was closed
  // Since 1.1:
  CompressedBlob = 7,  // a blob in chunks of zstd, each readable alone; named by its content
  ExternalBlob = 8,    // a FlatBuffer that says in which other file a blob lies
  Intent = 9,          // optional: a command that was about to be executed, as in a command frame
  Signature = 10       // optional: between index and footer, over everything before it
};

// True for each form in which a file can hold a blob.
constexpr bool is_blob(FrameType type) {
  return type == FrameType::Blob || type == FrameType::CompressedBlob ||
         type == FrameType::ExternalBlob;
}

// The type's name, such as "Session"; empty for a number that no type has.
std::string_view name_of(FrameType type);

// The flag of an optional frame. A reader that does not know the frame's type skips the frame when
// the flag is set, and refuses the file otherwise.
inline constexpr uint16_t kFrameOptional = 1;

// True for the types that are always written with this flag.
constexpr bool is_optional(FrameType type) {
  return type == FrameType::Intent || type == FrameType::Signature;
}

// Stands before each payload, at a multiple of kFrameAlignment.
struct FrameHeader {
  uint16_t type = 0;
  uint16_t flags = 0;
  uint32_t checksum = 0;    // header_checksum() of the other fields
  uint64_t length = 0;      // of the payload, without the zeros that fill it up to kFrameAlignment
  uint64_t digest_low = 0;  // of the payload; a blob's name
  uint64_t digest_high = 0;
};
static_assert(sizeof(FrameHeader) == 32);

// The beginning of an index's payload. What follows: one offset for each checkpoint, one BlobEntry
// for each blob in ascending order of digest, and the text of the error that ended the capture.
struct IndexHeader {
  uint64_t num_commands = 0;
  uint64_t num_blobs = 0;
  uint64_t commands_per_checkpoint = kCommandsPerCheckpoint;
  uint64_t error_code = 0;  // an absl::StatusCode; 0 when the capture ended well
  uint64_t error_size = 0;
};
static_assert(sizeof(IndexHeader) == 40);

// What an index says of a blob.
struct BlobEntry {
  ::lightmetal::Digest digest;
  uint64_t size = 0;
  uint64_t offset = 0;  // of the blob's frame

  friend bool operator==(const BlobEntry&, const BlobEntry&) = default;
};
static_assert(sizeof(BlobEntry) == 32);

// The payload of a closed file's last frame.
struct Footer {
  uint64_t index_offset = 0;  // of the index's frame
};
static_assert(sizeof(Footer) == 8);

// The bytes of a whole frame with a payload of `length` bytes. REQUIRES: length <= 2^63.
constexpr uint64_t frame_size(uint64_t length) {
  return sizeof(FrameHeader) + (length + kFrameAlignment - 1) / kFrameAlignment * kFrameAlignment;
}

inline constexpr uint64_t kFooterFrameSize = frame_size(sizeof(Footer));

// The bytes of the padding frame that a blob frame at `offset` needs before it: none, or enough for
// a frame's header.
constexpr uint64_t padding_before_blob(uint64_t offset, uint64_t length) {
  if (length < kPageAlignedBlob) return 0;
  const uint64_t gap = (kPageSize - (offset + sizeof(FrameHeader)) % kPageSize) % kPageSize;
  return gap == 0 || gap >= sizeof(FrameHeader) ? gap : gap + kPageSize;
}

// The XXH3-64 of the header with its checksum zero, seeded with the frame's offset and cut to 32
// bits: a frame that lies elsewhere than where it was written is no frame.
uint32_t header_checksum(const FrameHeader& header, uint64_t offset);

// The header, checksum included, of a frame at `offset`. The flag follows from the type.
FrameHeader make_header(FrameType type, uint64_t length, const ::lightmetal::Digest& digest,
                        uint64_t offset);

}  // namespace lightmetal::schema
