#include "base/digest.h"

#define XXH_INLINE_ALL  // Inputs are small and many: a call would cost as much as the hash.
#include <xxhash.h>

#include "absl/strings/str_format.h"

namespace lightmetal {

std::string Digest::hex() const { return absl::StrFormat("%016x%016x", high, low); }

Digest digest_of(Bytes bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.low64, hash.high64};
}

struct Digester::State {
  XXH3_state_t hash;
};

Digester::Digester() : state_(std::make_unique<State>()) { XXH3_128bits_reset(&state_->hash); }
Digester::~Digester() = default;
Digester::Digester(Digester&&) noexcept = default;
Digester& Digester::operator=(Digester&&) noexcept = default;

void Digester::add(Bytes bytes) { XXH3_128bits_update(&state_->hash, bytes.data(), bytes.size()); }

Digest Digester::digest() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(&state_->hash);
  return {hash.low64, hash.high64};
}

}  // namespace lightmetal
