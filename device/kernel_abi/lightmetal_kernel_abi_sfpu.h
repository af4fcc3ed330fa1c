#pragma once

#include "lightmetal_kernel_abi.h"

// Operations on tiles of DST alone, as the vector unit (SFPU) of a device does them. UnaryOp is in
// lightmetal_kernel_abi.h.
//
// A tile is 32 vectors of 32 elements in the order of memory, so a face is 8 of them; bit i of
// `vectors` has vector i computed and the others left as they are. Scalars are the bits of a float
// or a whole number, as the operation says. Operands and results may be the same tile.
namespace lightmetal::kernel_abi {

inline constexpr uint32_t kVectorsPerTile = 32;
inline constexpr uint32_t kAllVectors = 0xffffffff;

enum class DstUse : uint32_t { kRead = 0, kWriteFloats = 1, kWriteIntegers = 2 };

enum class SfpuBinaryOp : uint32_t {
  kAdd = 0,
  kSub = 1,
  kMul = 2,
  kDiv = 3,
  kReverseSub = 4,
  kPower = 5,
  kMaximum = 6,  // NaN when one of both is
  kMinimum = 7,
  kXLogY = 8,
  kEqual = 9,  // comparisons: 1 or 0
  kNotEqual = 10,
  kLess = 11,
  kLessEqual = 12,
  kGreater = 13,
  kGreaterEqual = 14,
  kDivOrZero = 15  // 0 where the divisor is
};

enum class SfpuTernaryOp : uint32_t {
  kAddProduct = 0,   // a + s b c with the scalar s
  kAddQuotient = 1,  // a + s b / c
  kInterpolate = 2   // a + c (b - a)
};

// Whole numbers of 32 bits in two's complement, which wrap.
enum class IntegerUnaryOp : uint32_t {
  kAbs = 0,
  kNegative = 1,
  kNot = 2,
  kAnd = 3,
  kOr = 4,
  kXor = 5,
  kLeftShift = 6,
  kRightShift = 7,  // copies the sign
  kAddScalar = 8,
  kSubScalar = 9,
  kSignBit = 10,
  kEqual = 11,
  kNotEqual = 12,
  kLess = 13,
  kLessEqual = 14,
  kGreater = 15,
  kGreaterEqual = 16,
  kMaximum = 17,
  kMinimum = 18,
  kUnsignedMaximum = 19,
  kUnsignedMinimum = 20,
  kClamp = 21,
  kIdentity = 22
};

enum class IntegerBinaryOp : uint32_t {
  kAdd = 0,
  kSub = 1,
  kReverseSub = 2,
  kMul = 3,
  kQuotient = 4,  // towards zero
  kFloorQuotient = 5,
  kRemainder = 6,  // of the quotient towards zero
  kFloorRemainder = 7,
  kGcd = 8,
  kLcm = 9,
  kAnd = 10,
  kOr = 11,
  kXor = 12,
  kLeftShift = 13,
  kRightShift = 14,
  kLogicalRightShift = 15,
  kEqual = 16,
  kNotEqual = 17,
  kLess = 18,
  kLessEqual = 19,
  kGreater = 20,
  kGreaterEqual = 21,
  kUnsignedLess = 22,
  kUnsignedLessEqual = 23,
  kUnsignedGreater = 24,
  kUnsignedGreaterEqual = 25,
  kMaximum = 26,
  kMinimum = 27,
  kUnsignedMaximum = 28,
  kUnsignedMinimum = 29
};

struct SfpuServices {
  // DST tile `dst` for a kernel that computes on it itself: 1024 words in the order of memory. When
  // it says that it writes, that is what the tile holds from now on; the words stay.
  void* (*dst_values)(Context*, uint32_t dst, DstUse use);

  void (*unary)(Context*, UnaryOp op, uint32_t dst, uint32_t vectors, uint32_t a, uint32_t b,
                uint32_t c);
  void (*binary)(Context*, SfpuBinaryOp op, uint32_t left, uint32_t right, uint32_t result,
                 uint32_t vectors);
  void (*ternary)(Context*, SfpuTernaryOp op, uint32_t a, uint32_t b, uint32_t c, uint32_t result,
                  uint32_t scalar);
  void (*integer_unary)(Context*, IntegerUnaryOp op, uint32_t dst, uint32_t a, uint32_t b);
  // `mask`: what is kept of each result.
  void (*integer_binary)(Context*, IntegerBinaryOp op, uint32_t left, uint32_t right,
                         uint32_t result, uint32_t mask);
  // result = condition is not zero ? left : right; floats or integers, left and right alike.
  void (*where)(Context*, uint32_t condition, uint32_t left, uint32_t right, uint32_t result);
  // Where the mask is zero, the data become `bits`.
  void (*mask)(Context*, uint32_t data, uint32_t mask, uint32_t bits);
  void (*fill)(Context*, uint32_t dst, uint32_t bits, uint32_t integers);
  void (*copy)(Context*, uint32_t source, uint32_t target);
  // From and to: DataFormat's numbers.
  void (*typecast)(Context*, uint32_t dst, uint32_t from, uint32_t to);
  // Sums down the columns; `carry`, 32 floats of the kernel's own, is what the sums start from
  // unless `first`, and takes the last row.
  void (*cumulative_sum)(Context*, uint32_t dst, uint32_t first, float* carry);
  // Pseudo-random numbers from `state`, which is the kernel's own and goes on. Uniform in [from,
  // from + scale), both floats' bits.
  void (*random)(Context*, uint32_t dst, uint64_t* state, uint32_t from, uint32_t scale);
  // Each element becomes zero with the probability `probability` / 0x7fffffff and else is
  // multiplied by `scale`, a float's bits.
  void (*dropout)(Context*, uint32_t dst, uint64_t* state, uint32_t probability, uint32_t scale);
};

}  // namespace lightmetal::kernel_abi
