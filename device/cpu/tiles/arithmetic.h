#pragma once

#include <cstdint>

#include "base/data_format.h"
#include "device/kernel_abi/lightmetal_kernel_abi.h"

// The arithmetic on tiles, vectorised for the processor that runs it. A tile is 1024 elements in
// the order of memory: four 16x16 faces, each by rows. Nothing is allocated or kept; pointers need
// no alignment; tiles may be the same but must not overlap in part.
namespace lightmetal::device::cpu {

inline constexpr uint32_t kTileElements = kernel_abi::kTileElements;
inline constexpr uint32_t kFaceElements = 256;

// Formats that become floats: Float32, Tf32 (which keeps 10 bits of the mantissa), Float16,
// Float16_b and the block formats with both widths of exponents.
bool is_float_format(DataFormat format);
// Formats that keep their bits as 32-bit integers: Int32, UInt32, UInt16, Int8, UInt8 and the raw
// ones.
bool is_integer_format(DataFormat format);

// REQUIRES: is_float_format(format).
void unpack_floats(DataFormat format, const void* source, float* target);
// Rounds to nearest, ties to even; block formats ties away from zero, and saturates them. `relu`
// clamps below at zero first.
void pack_floats(DataFormat format, const float* source, bool relu, void* target);

// What packing with `config` (Services::pack_relu's argument) does to values before they are
// rounded. A NaN stays one.
void clamp_floats(uint32_t config, const float* source, float* target);

// REQUIRES: is_integer_format(format). Integers of 16 and 8 bits are extended with zeros, of Int8
// with their sign.
void unpack_integers(DataFormat format, const void* source, float* target);
// False, and nothing written, when a value does not fit the format.
bool pack_integers(DataFormat format, const float* source, void* target);

// target = a op b, or target += a op b.
void binary_floats(kernel_abi::BinaryOp op, const float* a, const float* b, bool accumulate,
                   float* target);

// target += a * b as 32x32 matrices, or a * transposed b. Each element is summed in the order of
// the inner index.
void matmul_floats(const float* a, const float* b, bool transpose_b, float* target);

}  // namespace lightmetal::device::cpu
