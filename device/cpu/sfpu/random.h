#pragma once

#include <cstdint>

namespace lightmetal::device::cpu {

// The next 32 bits of SplitMix64 (G. Steele, D. Lea and C. Flood, "Fast splittable pseudorandom
// number generators", 2014). Every state is as good as any other.
inline uint32_t next_random(uint64_t* state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return static_cast<uint32_t>((z ^ (z >> 31)) >> 32);
}

// Uniform in [0, 1).
inline float next_fraction(uint64_t* state) {
  return static_cast<float>(next_random(state) >> 8) * 0x1p-24f;
}

}  // namespace lightmetal::device::cpu
