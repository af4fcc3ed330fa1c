#include "schema/file/frame.h"

#define XXH_INLINE_ALL  // Inputs are small and many: a call would cost as much as the hash.
#include <xxhash.h>

namespace lightmetal::schema {

uint32_t header_checksum(const FrameHeader& header, uint64_t offset) {
  FrameHeader hashed = header;
  hashed.checksum = 0;
  return static_cast<uint32_t>(XXH3_64bits_withSeed(&hashed, sizeof(hashed), offset));
}

std::string_view name_of(FrameType type) {
  switch (type) {
    case FrameType::Session:
      return "Session";
    case FrameType::Command:
      return "Command";
    case FrameType::Blob:
      return "Blob";
    case FrameType::Padding:
      return "Padding";
    case FrameType::Index:
      return "Index";
    case FrameType::Footer:
      return "Footer";
    case FrameType::CompressedBlob:
      return "CompressedBlob";
    case FrameType::ExternalBlob:
      return "ExternalBlob";
    case FrameType::Intent:
      return "Intent";
    case FrameType::Signature:
      return "Signature";
  }
  return {};
}

FrameHeader make_header(FrameType type, uint64_t length, const ::lightmetal::Digest& digest,
                        uint64_t offset) {
  FrameHeader header;
  header.type = static_cast<uint16_t>(type);
  header.flags = is_optional(type) ? kFrameOptional : 0;
  header.length = length;
  header.digest_low = digest.low;
  header.digest_high = digest.high;
  header.checksum = header_checksum(header, offset);
  return header;
}

}  // namespace lightmetal::schema
