#pragma once

#include <cstdint>

// Formats that are converted element by element. Tiles as in arithmetic.h.
namespace lightmetal::device::cpu {

// IEEE half precision.
void unpack_float16(const uint16_t* source, float* target);
void pack_float16(const float* source, uint16_t* target);  // to nearest, ties to even

// Block floats: 64 exponents of 8 bits, one for each row of a face, then for each element a sign
// and `bits` bits of magnitude, the first element lowest. An element is magnitude * 2^(exponent -
// 127 - (bits - 1)); the exponent is the row's largest. Packing rounds to nearest, ties away from
// zero, clamps at the largest magnitude, and makes 0 of what is not normal.
void unpack_block_floats(uint32_t bits, const uint8_t* source, float* target);
void pack_block_floats(uint32_t bits, const float* source, uint8_t* target);

}  // namespace lightmetal::device::cpu
