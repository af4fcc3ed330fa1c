#include <algorithm>
#include <cstdint>
#include <numeric>

#include "device/cpu/sfpu/arithmetic.h"
#include "device/cpu/tiles/arithmetic.h"

// Whole numbers of 32 bits in two's complement. Signed numbers are computed as unsigned ones where
// they can overflow, since C++ defines only the overflow of unsigned numbers.
namespace lightmetal::device::cpu {
namespace {

using kernel_abi::IntegerBinaryOp;
using kernel_abi::IntegerUnaryOp;

constexpr int32_t as_signed(uint32_t x) { return static_cast<int32_t>(x); }

// Shifts by an amount outside 0 to 31 give 0.
constexpr uint32_t left_shift(uint32_t x, uint32_t amount) { return amount < 32 ? x << amount : 0; }
constexpr uint32_t right_shift(uint32_t x, uint32_t amount) {
  return amount < 32 ? static_cast<uint32_t>(as_signed(x) >> amount) : 0;
}
constexpr uint32_t logical_right_shift(uint32_t x, uint32_t amount) {
  return amount < 32 ? x >> amount : 0;
}

constexpr uint32_t absolute(uint32_t x) { return as_signed(x) < 0 ? 0 - x : x; }

// Division as on RISC-V: a quotient by zero is -1, a remainder by zero is the dividend, and the one
// quotient that overflows wraps.
constexpr uint32_t quotient(uint32_t a, uint32_t b) {
  if (b == 0) return 0xffffffff;
  const int64_t result = int64_t{as_signed(a)} / as_signed(b);
  return static_cast<uint32_t>(result);
}
constexpr uint32_t remainder(uint32_t a, uint32_t b) {
  if (b == 0) return a;
  return static_cast<uint32_t>(int64_t{as_signed(a)} % as_signed(b));
}
// Whether rounding down gives another quotient than rounding towards zero: the remainder is not
// zero, and the operands have different signs.
constexpr bool rounds_down(uint32_t a, uint32_t b) {
  return b != 0 && remainder(a, b) != 0 && (as_signed(a) < 0) != (as_signed(b) < 0);
}

uint32_t greatest_common_divisor(uint32_t a, uint32_t b) {
  return std::gcd(absolute(a), absolute(b));
}
uint32_t least_common_multiple(uint32_t a, uint32_t b) {
  if (a == 0 || b == 0) return 0;
  return absolute(absolute(a) / greatest_common_divisor(a, b) * absolute(b));
}

template <typename Function>
bool for_each(Function function, uint32_t* tile) {
  for (uint32_t i = 0; i < kTileElements; ++i) tile[i] = static_cast<uint32_t>(function(tile[i]));
  return true;
}

template <typename Function>
bool for_each_pair(Function function, const uint32_t* a, const uint32_t* b, uint32_t mask,
                   uint32_t* result) {
  for (uint32_t i = 0; i < kTileElements; ++i) {
    result[i] = static_cast<uint32_t>(function(a[i], b[i])) & mask;
  }
  return true;
}

bool compare(IntegerUnaryOp op, uint32_t a, uint32_t* tile) {
  const int32_t value = as_signed(a);
  switch (op) {
    case IntegerUnaryOp::kEqual:
      return for_each([=](uint32_t x) { return x == a; }, tile);
    case IntegerUnaryOp::kNotEqual:
      return for_each([=](uint32_t x) { return x != a; }, tile);
    case IntegerUnaryOp::kLess:
      return for_each([=](uint32_t x) { return as_signed(x) < value; }, tile);
    case IntegerUnaryOp::kLessEqual:
      return for_each([=](uint32_t x) { return as_signed(x) <= value; }, tile);
    case IntegerUnaryOp::kGreater:
      return for_each([=](uint32_t x) { return as_signed(x) > value; }, tile);
    case IntegerUnaryOp::kGreaterEqual:
      return for_each([=](uint32_t x) { return as_signed(x) >= value; }, tile);
    default:
      return false;
  }
}

bool bound(IntegerUnaryOp op, uint32_t a, uint32_t b, uint32_t* tile) {
  const int32_t value = as_signed(a);
  switch (op) {
    case IntegerUnaryOp::kMaximum:
      return for_each([=](uint32_t x) { return std::max(as_signed(x), value); }, tile);
    case IntegerUnaryOp::kMinimum:
      return for_each([=](uint32_t x) { return std::min(as_signed(x), value); }, tile);
    case IntegerUnaryOp::kUnsignedMaximum:
      return for_each([=](uint32_t x) { return std::max(x, a); }, tile);
    case IntegerUnaryOp::kUnsignedMinimum:
      return for_each([=](uint32_t x) { return std::min(x, a); }, tile);
    case IntegerUnaryOp::kClamp:
      return for_each(
          [=](uint32_t x) { return std::min(std::max(as_signed(x), value), as_signed(b)); }, tile);
    default:
      return false;
  }
}

bool calculate(IntegerUnaryOp op, uint32_t a, uint32_t* tile) {
  switch (op) {
    case IntegerUnaryOp::kAbs:
      return for_each(absolute, tile);
    case IntegerUnaryOp::kNegative:
      return for_each([](uint32_t x) { return 0 - x; }, tile);
    case IntegerUnaryOp::kNot:
      return for_each([](uint32_t x) { return ~x; }, tile);
    case IntegerUnaryOp::kAnd:
      return for_each([=](uint32_t x) { return x & a; }, tile);
    case IntegerUnaryOp::kOr:
      return for_each([=](uint32_t x) { return x | a; }, tile);
    case IntegerUnaryOp::kXor:
      return for_each([=](uint32_t x) { return x ^ a; }, tile);
    case IntegerUnaryOp::kLeftShift:
      return for_each([=](uint32_t x) { return left_shift(x, a); }, tile);
    case IntegerUnaryOp::kRightShift:
      return for_each([=](uint32_t x) { return right_shift(x, a); }, tile);
    case IntegerUnaryOp::kAddScalar:
      return for_each([=](uint32_t x) { return x + a; }, tile);
    case IntegerUnaryOp::kSubScalar:
      return for_each([=](uint32_t x) { return x - a; }, tile);
    case IntegerUnaryOp::kSignBit:
      return for_each([](uint32_t x) { return x >> 31; }, tile);
    case IntegerUnaryOp::kIdentity:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool unary_integers(IntegerUnaryOp op, const UnaryParameters& parameters, uint32_t* tile) {
  return calculate(op, parameters.a, tile) || compare(op, parameters.a, tile) ||
         bound(op, parameters.a, parameters.b, tile);
}

namespace {

bool calculate(IntegerBinaryOp op, const uint32_t* a, const uint32_t* b, uint32_t mask,
               uint32_t* result) {
  const auto apply = [=](auto function) { return for_each_pair(function, a, b, mask, result); };
  switch (op) {
    case IntegerBinaryOp::kAdd:
      return apply([](uint32_t x, uint32_t y) { return x + y; });
    case IntegerBinaryOp::kSub:
      return apply([](uint32_t x, uint32_t y) { return x - y; });
    case IntegerBinaryOp::kReverseSub:
      return apply([](uint32_t x, uint32_t y) { return y - x; });
    case IntegerBinaryOp::kMul:
      return apply([](uint32_t x, uint32_t y) { return x * y; });
    case IntegerBinaryOp::kQuotient:
      return apply(quotient);
    case IntegerBinaryOp::kFloorQuotient:
      return apply([](uint32_t x, uint32_t y) {
        return rounds_down(x, y) ? quotient(x, y) - 1 : quotient(x, y);
      });
    case IntegerBinaryOp::kRemainder:
      return apply(remainder);
    case IntegerBinaryOp::kFloorRemainder:
      return apply([](uint32_t x, uint32_t y) {
        return rounds_down(x, y) ? remainder(x, y) + y : remainder(x, y);
      });
    case IntegerBinaryOp::kGcd:
      return apply(greatest_common_divisor);
    case IntegerBinaryOp::kLcm:
      return apply(least_common_multiple);
    default:
      return false;
  }
}

bool combine_bits(IntegerBinaryOp op, const uint32_t* a, const uint32_t* b, uint32_t mask,
                  uint32_t* result) {
  const auto apply = [=](auto function) { return for_each_pair(function, a, b, mask, result); };
  switch (op) {
    case IntegerBinaryOp::kAnd:
      return apply([](uint32_t x, uint32_t y) { return x & y; });
    case IntegerBinaryOp::kOr:
      return apply([](uint32_t x, uint32_t y) { return x | y; });
    case IntegerBinaryOp::kXor:
      return apply([](uint32_t x, uint32_t y) { return x ^ y; });
    case IntegerBinaryOp::kLeftShift:
      return apply(left_shift);
    case IntegerBinaryOp::kRightShift:
      return apply(right_shift);
    case IntegerBinaryOp::kLogicalRightShift:
      return apply(logical_right_shift);
    default:
      return false;
  }
}

bool compare(IntegerBinaryOp op, const uint32_t* a, const uint32_t* b, uint32_t mask,
             uint32_t* result) {
  const auto apply = [=](auto function) { return for_each_pair(function, a, b, mask, result); };
  const auto swapped = [=](auto function) { return for_each_pair(function, b, a, mask, result); };
  const auto less = [](uint32_t x, uint32_t y) { return as_signed(x) < as_signed(y); };
  const auto less_equal = [](uint32_t x, uint32_t y) { return as_signed(x) <= as_signed(y); };
  const auto unsigned_less = [](uint32_t x, uint32_t y) { return x < y; };
  const auto unsigned_less_equal = [](uint32_t x, uint32_t y) { return x <= y; };
  switch (op) {
    case IntegerBinaryOp::kEqual:
      return apply([](uint32_t x, uint32_t y) { return x == y; });
    case IntegerBinaryOp::kNotEqual:
      return apply([](uint32_t x, uint32_t y) { return x != y; });
    case IntegerBinaryOp::kLess:
      return apply(less);
    case IntegerBinaryOp::kLessEqual:
      return apply(less_equal);
    case IntegerBinaryOp::kGreater:
      return swapped(less);
    case IntegerBinaryOp::kGreaterEqual:
      return swapped(less_equal);
    case IntegerBinaryOp::kUnsignedLess:
      return apply(unsigned_less);
    case IntegerBinaryOp::kUnsignedLessEqual:
      return apply(unsigned_less_equal);
    case IntegerBinaryOp::kUnsignedGreater:
      return swapped(unsigned_less);
    case IntegerBinaryOp::kUnsignedGreaterEqual:
      return swapped(unsigned_less_equal);
    default:
      return false;
  }
}

bool choose(IntegerBinaryOp op, const uint32_t* a, const uint32_t* b, uint32_t mask,
            uint32_t* result) {
  const auto apply = [=](auto function) { return for_each_pair(function, a, b, mask, result); };
  switch (op) {
    case IntegerBinaryOp::kMaximum:
      return apply([](uint32_t x, uint32_t y) { return std::max(as_signed(x), as_signed(y)); });
    case IntegerBinaryOp::kMinimum:
      return apply([](uint32_t x, uint32_t y) { return std::min(as_signed(x), as_signed(y)); });
    case IntegerBinaryOp::kUnsignedMaximum:
      return apply([](uint32_t x, uint32_t y) { return std::max(x, y); });
    case IntegerBinaryOp::kUnsignedMinimum:
      return apply([](uint32_t x, uint32_t y) { return std::min(x, y); });
    default:
      return false;
  }
}

}  // namespace

bool binary_integers(IntegerBinaryOp op, const uint32_t* left, const uint32_t* right, uint32_t mask,
                     uint32_t* result) {
  return calculate(op, left, right, mask, result) || combine_bits(op, left, right, mask, result) ||
         compare(op, left, right, mask, result) || choose(op, left, right, mask, result);
}

}  // namespace lightmetal::device::cpu
