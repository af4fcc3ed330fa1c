#pragma once

#include <cstdint>

namespace tt::tt_metal {

constexpr uint32_t operator""_KB(unsigned long long count) {
  return static_cast<uint32_t>(count << 10);
}
constexpr uint32_t operator""_MB(unsigned long long count) {
  return static_cast<uint32_t>(count << 20);
}
constexpr uint32_t operator""_GB(unsigned long long count) {
  return static_cast<uint32_t>(count << 30);
}

// `sz` rounded up to a multiple of `alignment`, which must not be 0.
constexpr uint32_t round_size(uint32_t sz, uint32_t alignment) {
  return (sz + alignment - 1) / alignment * alignment;
}

}  // namespace tt::tt_metal
