#pragma once

#include <cstdint>

// Tiles of block floats as floats, and back. A tile has 64 exponents of 8 bits, one for each row of
// a face, then for each element a sign and `bits` (7, 3 or 1) bits of magnitude, the first element
// lowest. Tiles of floats are as in arithmetic.h.
//
//   An element is magnitude * 2^(exponent - 127 - (bits - 1)); the exponent is the row's largest.
//
// Packing rounds to nearest, ties away from zero, clamps at the largest magnitude, makes 0 of
// numbers that are not normal, and gives a 0 no sign. Infinities and NaN become the numbers that
// their bits would be with a larger exponent, which an exponent of 255 reads back as infinities.
// With `short_exponents`, exponents have 5 bits and a bias of 15, and rows beyond them are clamped.
namespace lightmetal::device::cpu {

void unpack_block_floats(uint32_t bits, bool short_exponents, const uint8_t* source, float* target);
void pack_block_floats(uint32_t bits, bool short_exponents, const float* source, uint8_t* target);

}  // namespace lightmetal::device::cpu
