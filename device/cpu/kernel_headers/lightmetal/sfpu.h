#pragma once

#include "lightmetal/compute.h"
#include "lightmetal_kernel_abi_sfpu.h"

// What the headers of the vector unit's operations share.

namespace ckernel {

// Which faces of a tile an operation works on: R the upper two, C the left two, RC all. With the
// others, the operation is done once, from the tile's begin on.
struct VectorMode {
  enum Value : int { None = 0, R = 1, C = 2, RC = 4, RC_custom = 6, Invalid = 0xff };
  constexpr VectorMode(Value mode) : value(mode) {}
  constexpr operator int() const { return value; }

  Value value;  // public, so that a mode can be an argument of a template
};

enum class RoundingMode : uint8_t { None = 0, Trunc = 1, Floor = 2 };
// Results are rounded when they are packed, to nearest even; so both are the same here.
enum class DstRoundingMode : uint8_t { Default = 0, NearestEven = 1 };

// The vector unit has no settings here: nothing is to be put back.
namespace sfpu {
FORCE_INLINE void _init_sfpu_config_reg() {}
}  // namespace sfpu

}  // namespace ckernel

namespace lightmetal::kernel {

using kernel_abi::IntegerBinaryOp;
using kernel_abi::IntegerUnaryOp;
using kernel_abi::kAllVectors;
using kernel_abi::SfpuBinaryOp;
using kernel_abi::SfpuServices;
using kernel_abi::SfpuTernaryOp;

FORCE_INLINE const SfpuServices& sfpu() { return *context()->services->sfpu; }

// Whether a face is worked on in a mode that goes by faces.
constexpr bool works_on_face(int vector_mode, uint32_t face) {
  return vector_mode == ckernel::VectorMode::R   ? face < 2
         : vector_mode == ckernel::VectorMode::C ? face % 2 == 0
                                                 : true;
}
constexpr bool goes_by_faces(int vector_mode) {
  return vector_mode == ckernel::VectorMode::R || vector_mode == ckernel::VectorMode::C ||
         vector_mode == ckernel::VectorMode::RC;
}

// The vectors of a tile that a mode works on: the first `iterations` of the tile, or of each face
// that the mode goes over. The hardware takes every other element of four rows at a time, so only
// two vectors together are the same elements here as there.
FORCE_INLINE uint32_t vectors_of(int vector_mode, uint32_t iterations = 8) {
  if (vector_mode == ckernel::VectorMode::RC && iterations == 8) return kAllVectors;
  if (!goes_by_faces(vector_mode)) {
    return iterations >= 32 ? kAllVectors : (uint32_t{1} << iterations) - 1;
  }
  if (iterations > 8 || iterations % 2 != 0)
    fail("a vector mode that goes by faces takes an even number of iterations up to 8");
  const uint32_t faces = vector_mode == ckernel::VectorMode::R   ? 0x00000101
                         : vector_mode == ckernel::VectorMode::C ? 0x00010001
                                                                 : 0x01010101;
  return faces * ((1u << iterations) - 1);
}

FORCE_INLINE void sfpu_unary(UnaryOp op, uint32_t dst, uint32_t a = 0, uint32_t b = 0,
                             uint32_t c = 0, uint32_t vectors = kAllVectors) {
  sfpu().unary(context(), op, dst, vectors, a, b, c);
}
FORCE_INLINE void sfpu_binary(SfpuBinaryOp op, uint32_t left, uint32_t right, uint32_t result,
                              uint32_t vectors = kAllVectors) {
  sfpu().binary(context(), op, left, right, result, vectors);
}
FORCE_INLINE void sfpu_integers(IntegerUnaryOp op, uint32_t dst, uint32_t a = 0, uint32_t b = 0) {
  sfpu().integer_unary(context(), op, dst, a, b);
}
// Calls `compute` where a device lets its packing processor compute on the vector unit. Of a kernel
// in parts only the packing one does it, on the section of DST that it packs.
template <typename Compute>
FORCE_INLINE void on_packer(Compute compute) {
  if constexpr (!kPacks) return;
  if constexpr (kIsPart) {
    const auto* parts = context()->services->parts;
    const uint32_t before = parts->packer_computes(context(), 1);
    compute();
    parts->packer_computes(context(), before);
  } else {
    compute();
  }
}

FORCE_INLINE void sfpu_integers(IntegerBinaryOp op, uint32_t left, uint32_t right, uint32_t result,
                                uint32_t mask = 0xffffffff) {
  sfpu().integer_binary(context(), op, left, right, result, mask);
}

// Where an element is in the order of memory: face by face, each row by row.
constexpr uint32_t place_in_tile(uint32_t row, uint32_t column) {
  return (row / 16 * 2 + column / 16) * 256 + row % 16 * 16 + column % 16;
}

// The words of a tile of DST for a kernel that computes itself. One that was not written becomes
// zeros of the given kind.
FORCE_INLINE void* dst_words(uint32_t dst, bool integers) {
  using kernel_abi::DstUse;
  const uint32_t state_before = context()->dst_state;  // a tile that is read counts as written
  void* words = sfpu().dst_values(context(), dst, DstUse::kRead);
  const uint32_t place = context()->dst_first + dst;
  const bool written = (state_before >> (16 + place) & 1) != 0;
  if (written) return words;
  return sfpu().dst_values(context(), dst,
                           integers ? DstUse::kWriteIntegers : DstUse::kWriteFloats);
}

// The same of a tile that must hold integers, or floats, when it was written.
FORCE_INLINE void* dst_operand(uint32_t dst, bool integers) {
  void* words = dst_words(dst, integers);
  const bool holds_integers = (context()->dst_state >> (context()->dst_first + dst) & 1) != 0;
  if (holds_integers != integers) {
    fail(integers ? "a tile of DST holds floats where integers are needed"
                  : "a tile of DST holds integers where floats are needed");
  }
  return words;
}

// What is kept of a whole number in a data format.
constexpr uint32_t integer_mask(DataFormat format) {
  return format == DataFormat::UInt16 ? 0xffff : format == DataFormat::UInt8 ? 0xff : 0xffffffff;
}
constexpr bool is_integer(DataFormat format) {
  return format == DataFormat::Int32 || format == DataFormat::UInt32 ||
         format == DataFormat::UInt16 || format == DataFormat::UInt8;
}

// The operation of a format's numbers: of those without a sign it may be another one.
template <DataFormat format>
constexpr IntegerBinaryOp by_sign(IntegerBinaryOp with_sign, IntegerBinaryOp without_sign) {
  return format == DataFormat::Int32 ? with_sign : without_sign;
}

FORCE_INLINE uint32_t bits_of(float value) { return __builtin_bit_cast(uint32_t, value); }
FORCE_INLINE float float_of(uint32_t bits) { return __builtin_bit_cast(float, bits); }

// The value of a number in 16 bits with 5 of exponent.
constexpr float float16_value(uint32_t bits) {
  const uint32_t sign = (bits & 0x8000) << 16;
  const uint32_t exponent = bits >> 10 & 0x1f;
  const uint32_t mantissa = bits & 0x3ff;
  if (exponent == 0) {
    const float size = static_cast<float>(mantissa) * 0x1p-24f;
    return sign != 0 ? -size : size;
  }
  const uint32_t wide = exponent == 0x1f ? 0xff : exponent + 112;
  return __builtin_bit_cast(float, sign | wide << 23 | mantissa << 13);
}

}  // namespace lightmetal::kernel
