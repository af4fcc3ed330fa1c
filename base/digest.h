#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/types/span.h"

namespace lightmetal {

using Bytes = absl::Span<const std::byte>;

// Views `size` bytes at `data`.
inline Bytes bytes_of(const void* data, size_t size) {
  return {static_cast<const std::byte*>(data), size};
}

// XXH3-128 of some bytes (https://github.com/Cyan4973/xxHash): the name under which a file stores
// them once.
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

// The same of bytes that come piece by piece. Not thread-safe.
class Digester {
 public:
  Digester();
  ~Digester();
  Digester(Digester&&) noexcept;
  Digester& operator=(Digester&&) noexcept;

  void add(Bytes bytes);
  // Of all that was added so far.
  Digest digest() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lightmetal
