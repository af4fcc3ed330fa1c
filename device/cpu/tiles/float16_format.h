#pragma once

#include <cstdint>

// IEEE half precision, with infinities, NaN and numbers that are not normal. Tiles as in
// arithmetic.h.
namespace lightmetal::device::cpu {

void unpack_float16(const uint16_t* source, float* target);
void pack_float16(const float* source, uint16_t* target);  // to nearest, ties to even

}  // namespace lightmetal::device::cpu
