#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/types/span.h"

namespace lightmetal {

using Bytes = absl::Span<const std::byte>;

// Views `size` bytes at `data`, which the caller keeps alive.
inline Bytes bytes_of(const void* data, size_t size) {
  return {static_cast<const std::byte*>(data), size};
}

// The XXH3-128 of some bytes (https://github.com/Cyan4973/xxHash), which is the name under which a
// file stores them once. Not cryptographic: it finds accidents, not forgeries.
struct Digest {
  uint64_t low = 0;
  uint64_t high = 0;

  std::string hex() const;  // 32 digits, high word first

  friend auto operator<=>(const Digest&, const Digest&) = default;
  template <typename H>
  friend H AbslHashValue(H state, const Digest& digest) {
    return H::combine(std::move(state), digest.low, digest.high);
  }
};

Digest digest_of(Bytes bytes);

// Computes the same digest of bytes that come piece by piece. Not thread-safe.
class Digester {
 public:
  Digester();
  ~Digester();
  Digester(Digester&&) noexcept;
  Digester& operator=(Digester&&) noexcept;

  void add(Bytes bytes);
  // Returns the digest of all bytes that were added so far; more may be added afterwards.
  Digest digest() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lightmetal
