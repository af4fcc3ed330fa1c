#pragma once

#include <cstdint>

#include "base/data_format.h"
#include "device/kernel_abi/lightmetal_kernel_abi.h"

// The arithmetic on tiles, vectorised for the processor that runs it, which is chosen at the first
// call. A tile is 1024 elements in the order of memory: four 16x16 faces, each by rows. The
// functions allocate nothing and keep no state. Pointers need no alignment; two tiles may be the
// same tile but must not overlap in part. Thread-safe.
namespace lightmetal::device::cpu {

inline constexpr uint32_t kTileElements = kernel_abi::kTileElements;
inline constexpr uint32_t kFaceElements = 256;

// Whether the elements of a format become floats: Float32, Tf32 (which keeps 10 bits of the
// mantissa), Float16, Float16_b and the block formats with both widths of exponents.
bool is_float_format(DataFormat format);
// Whether the elements of a format keep their bits, as 32-bit integers: Int32, UInt32, UInt16,
// Int8, UInt8 and the raw formats.
bool is_integer_format(DataFormat format);

// A tile's bytes at `source` as floats. REQUIRES: is_float_format(format).
void unpack_floats(DataFormat format, const void* source, float* target);
// The reverse: rounds to nearest, ties to even; block formats are rounded with ties away from zero,
// and saturate. `relu` makes 0 of negative values first. REQUIRES: is_float_format(format).
void pack_floats(DataFormat format, const float* source, bool relu, void* target);

// Clamps values as packing does before it rounds. `config` is the argument of Services::pack_relu.
// A NaN stays a NaN.
void clamp_floats(uint32_t config, const float* source, float* target);

// A tile's bytes at `source` as integers of 32 bits, whose bits lie in `target`. Integers of 16 and
// 8 bits are extended with zeros, those of Int8 with their sign. REQUIRES:
// is_integer_format(format).
void unpack_integers(DataFormat format, const void* source, float* target);
// The reverse. Returns false, and writes nothing, when a value does not fit the format. REQUIRES:
// is_integer_format(format).
bool pack_integers(DataFormat format, const float* source, void* target);

// target = a op b, or target += a op b.
void binary_floats(kernel_abi::BinaryOp op, const float* a, const float* b, bool accumulate,
                   float* target);

// target += a * b as 32x32 matrices, or a * transposed b. The products of each element are summed
// in the order of the inner index.
void matmul_floats(const float* a, const float* b, bool transpose_b, float* target);

}  // namespace lightmetal::device::cpu
