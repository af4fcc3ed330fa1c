#include "base/digest.h"

#include <xxhash.h>

#include "absl/strings/str_format.h"

namespace lightmetal {

std::string Digest::hex() const { return absl::StrFormat("%016x%016x", high, low); }

Digest digest_of(Bytes bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.low64, hash.high64};
}

}  // namespace lightmetal
