#pragma once

#include <cstdint>

// Tiles of IEEE half precision (Float16) as floats, and back. Infinities, NaN and numbers that are
// not normal are kept. Tiles are as in arithmetic.h.
namespace lightmetal::device::cpu {

void unpack_float16(const uint16_t* source, float* target);
void pack_float16(const float* source, uint16_t* target);  // rounds to nearest, ties to even

}  // namespace lightmetal::device::cpu
