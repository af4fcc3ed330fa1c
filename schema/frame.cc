#include "schema/frame.h"

#define XXH_INLINE_ALL  // small inputs, often: a call costs as much as the hash
#include <xxhash.h>

namespace lightmetal::schema {

uint32_t header_checksum(const FrameHeader& header, uint64_t offset) {
  FrameHeader hashed = header;
  hashed.checksum = 0;
  return static_cast<uint32_t>(XXH3_64bits_withSeed(&hashed, sizeof(hashed), offset));
}

FrameHeader make_header(FrameType type, uint64_t length, const ::lightmetal::Digest& digest,
                        uint64_t offset) {
  FrameHeader header;
  header.type = static_cast<uint16_t>(type);
  header.length = length;
  header.digest_low = digest.low;
  header.digest_high = digest.high;
  header.checksum = header_checksum(header, offset);
  return header;
}

}  // namespace lightmetal::schema
