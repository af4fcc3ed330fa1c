#pragma once

#include "internal/llk_metadata.h"

template <typename T>
class Scratchpad;

// The name by which a kernel knows L1 memory of its own: the common runtime argument that is its
// address, and its size.
class ScratchpadBindingToken {
 public:
  constexpr ScratchpadBindingToken(uint32_t crta_offset, uint32_t size_in_bytes,
                                   binding_details::LLKMetadata llk = {}) noexcept
      : crta_offset_(crta_offset), size_in_bytes_(size_in_bytes), llk_metadata_(llk) {}

 private:
  template <typename T>
  friend class Scratchpad;

  uint32_t crta_offset_;  // in words
  uint32_t size_in_bytes_;
  binding_details::LLKMetadata llk_metadata_;
};
