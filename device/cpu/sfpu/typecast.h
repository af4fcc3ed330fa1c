#pragma once

#include <cstdint>

#include "base/data_format.h"

namespace lightmetal::device::cpu {

// Whether typecast() knows a format: it knows those that compute kernels take.
bool can_typecast(DataFormat format);
// Converts a tile of DST in place. A float becomes the nearest number of a narrower float format
// (ties to even; block formats are left to packing), or a whole number, which is rounded towards
// zero, saturates, and is 0 for NaN. A whole number becomes the nearest float, or keeps its low
// bits. Int8 is a byte of DST, in two's complement, the bits above it 0: circular buffers have it
// as UInt8.
// REQUIRES: can_typecast(from) and can_typecast(to).
void typecast(DataFormat from, DataFormat to, uint32_t* tile);

}  // namespace lightmetal::device::cpu
