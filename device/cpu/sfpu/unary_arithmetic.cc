#include <cstddef>
#include <cstdint>

#include "device/cpu/sfpu/arithmetic.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "device/cpu/sfpu/unary_arithmetic.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include "device/cpu/sfpu/math-inl.h"

// Arithmetic with at most a scalar, comparisons, rounding.
HWY_BEFORE_NAMESPACE();
namespace lightmetal::device::cpu {
namespace HWY_NAMESPACE {
namespace {

using kernel_abi::UnaryOp;

struct Sqrt {
  HWY_INLINE Vector operator()(Vector x) const { return hn::Sqrt(x); }
};
struct Recip {
  HWY_INLINE Vector operator()(Vector x) const { return hn::Div(set(1.0f), x); }
};
struct Rsqrt {
  HWY_INLINE Vector operator()(Vector x) const { return hn::Div(set(1.0f), hn::Sqrt(x)); }
};
struct Abs {
  HWY_INLINE Vector operator()(Vector x) const { return hn::Abs(x); }
};
struct Negative {
  HWY_INLINE Vector operator()(Vector x) const { return hn::Neg(x); }
};
struct Square {
  HWY_INLINE Vector operator()(Vector x) const { return hn::Mul(x, x); }
};
// 1 with the sign of x; a zero and a NaN stay as they are.
struct Sign {
  HWY_INLINE Vector operator()(Vector x) const {
    const Mask as_it_is = hn::Or(hn::Eq(x, zero()), hn::IsNaN(x));
    return hn::IfThenElse(as_it_is, x, hn::CopySign(set(1.0f), x));
  }
};
struct SignBit {
  HWY_INLINE Vector operator()(Vector x) const {
    const hn::RebindToSigned<Tag> integers;
    const auto negative = hn::Lt(hn::BitCast(integers, x), hn::Zero(integers));
    return one_where(hn::RebindMask(Tag(), negative));
  }
};

// A result of zero keeps the argument's sign, which Highway loses with some instruction sets.
HWY_INLINE Vector floor(Vector x) { return hn::CopySign(hn::Floor(x), x); }
HWY_INLINE Vector trunc(Vector x) { return hn::CopySign(hn::Trunc(x), x); }

struct Floor {
  HWY_INLINE Vector operator()(Vector x) const { return floor(x); }
};
struct Ceil {
  HWY_INLINE Vector operator()(Vector x) const { return hn::CopySign(hn::Ceil(x), x); }
};
struct Trunc {
  HWY_INLINE Vector operator()(Vector x) const { return trunc(x); }
};
struct Frac {
  HWY_INLINE Vector operator()(Vector x) const { return hn::Sub(x, trunc(x)); }
};

struct Equal {
  float value;
  HWY_INLINE Vector operator()(Vector x) const { return one_where(hn::Eq(x, set(value))); }
};
struct NotEqual {
  float value;
  HWY_INLINE Vector operator()(Vector x) const { return one_where(unequal(x, set(value))); }
};
struct Less {
  float value;
  HWY_INLINE Vector operator()(Vector x) const { return one_where(hn::Lt(x, set(value))); }
};
struct LessEqual {
  float value;
  HWY_INLINE Vector operator()(Vector x) const { return one_where(hn::Le(x, set(value))); }
};
struct Greater {
  float value;
  HWY_INLINE Vector operator()(Vector x) const { return one_where(hn::Gt(x, set(value))); }
};
struct GreaterEqual {
  float value;
  HWY_INLINE Vector operator()(Vector x) const { return one_where(hn::Ge(x, set(value))); }
};
struct IsInfinite {
  HWY_INLINE Vector operator()(Vector x) const {
    return one_where(hn::Eq(hn::Abs(x), set(kInfinity)));
  }
};
struct IsNan {
  HWY_INLINE Vector operator()(Vector x) const { return one_where(hn::IsNaN(x)); }
};
struct IsFinite {
  HWY_INLINE Vector operator()(Vector x) const {
    return one_where(hn::Lt(hn::Abs(x), set(kInfinity)));
  }
};
struct Heaviside {
  float at_zero;
  HWY_INLINE Vector operator()(Vector x) const {
    const Vector not_above = hn::IfThenElse(hn::Lt(x, zero()), zero(), set(at_zero));
    return hn::IfThenElse(hn::Gt(x, zero()), set(1.0f), not_above);
  }
};

struct Maximum {
  float value;
  HWY_INLINE Vector operator()(Vector x) const {
    return hn::IfThenElse(hn::Or(hn::Gt(x, set(value)), hn::IsNaN(x)), x, set(value));
  }
};
struct Minimum {
  float value;
  HWY_INLINE Vector operator()(Vector x) const {
    return hn::IfThenElse(hn::Or(hn::Lt(x, set(value)), hn::IsNaN(x)), x, set(value));
  }
};
struct Clamp {
  float low, high;
  HWY_INLINE Vector operator()(Vector x) const {
    const Vector above = hn::IfThenElse(hn::Lt(x, set(low)), set(low), x);
    return hn::IfThenElse(hn::Gt(above, set(high)), set(high), above);
  }
};

struct AddScalar {
  float value;
  HWY_INLINE Vector operator()(Vector x) const { return hn::Add(x, set(value)); }
};
struct SubScalar {
  float value;
  HWY_INLINE Vector operator()(Vector x) const { return hn::Sub(x, set(value)); }
};
struct MulScalar {
  float value;
  HWY_INLINE Vector operator()(Vector x) const { return hn::Mul(x, set(value)); }
};
struct ReverseSub {
  float value;
  HWY_INLINE Vector operator()(Vector x) const { return hn::Sub(set(value), x); }
};
struct ReverseDiv {
  float value;
  HWY_INLINE Vector operator()(Vector x) const { return hn::Div(set(value), x); }
};
struct ReverseDivTrunc {
  float value;
  HWY_INLINE Vector operator()(Vector x) const { return trunc(hn::Div(set(value), x)); }
};
struct ReverseDivFloor {
  float value;
  HWY_INLINE Vector operator()(Vector x) const { return floor(hn::Div(set(value), x)); }
};

bool plain(UnaryOp op, uint32_t vectors, float* tile) {
  switch (op) {
    case UnaryOp::kSqrt:
      return for_each(Sqrt(), vectors, tile);
    case UnaryOp::kRecip:
      return for_each(Recip(), vectors, tile);
    case UnaryOp::kRsqrt:
      return for_each(Rsqrt(), vectors, tile);
    case UnaryOp::kAbs:
      return for_each(Abs(), vectors, tile);
    case UnaryOp::kNegative:
      return for_each(Negative(), vectors, tile);
    case UnaryOp::kSquare:
      return for_each(Square(), vectors, tile);
    case UnaryOp::kSign:
      return for_each(Sign(), vectors, tile);
    case UnaryOp::kSignBit:
      return for_each(SignBit(), vectors, tile);
    case UnaryOp::kFloor:
      return for_each(Floor(), vectors, tile);
    case UnaryOp::kCeil:
      return for_each(Ceil(), vectors, tile);
    case UnaryOp::kTrunc:
      return for_each(Trunc(), vectors, tile);
    case UnaryOp::kFrac:
      return for_each(Frac(), vectors, tile);
    case UnaryOp::kIsInfinite:
      return for_each(IsInfinite(), vectors, tile);
    case UnaryOp::kIsNan:
      return for_each(IsNan(), vectors, tile);
    case UnaryOp::kIsFinite:
      return for_each(IsFinite(), vectors, tile);
    default:
      return false;
  }
}

bool with_scalar(UnaryOp op, const UnaryParameters& p, uint32_t vectors, float* tile) {
  const float a = p.float_a();
  switch (op) {
    case UnaryOp::kEqual:
      return for_each(Equal{a}, vectors, tile);
    case UnaryOp::kNotEqual:
      return for_each(NotEqual{a}, vectors, tile);
    case UnaryOp::kLess:
      return for_each(Less{a}, vectors, tile);
    case UnaryOp::kLessEqual:
      return for_each(LessEqual{a}, vectors, tile);
    case UnaryOp::kGreater:
      return for_each(Greater{a}, vectors, tile);
    case UnaryOp::kGreaterEqual:
      return for_each(GreaterEqual{a}, vectors, tile);
    case UnaryOp::kHeaviside:
      return for_each(Heaviside{a}, vectors, tile);
    case UnaryOp::kMaximum:
      return for_each(Maximum{a}, vectors, tile);
    case UnaryOp::kMinimum:
      return for_each(Minimum{a}, vectors, tile);
    case UnaryOp::kClamp:
      return for_each(Clamp{a, p.float_b()}, vectors, tile);
    case UnaryOp::kAddScalar:
      return for_each(AddScalar{a}, vectors, tile);
    case UnaryOp::kSubScalar:
      return for_each(SubScalar{a}, vectors, tile);
    case UnaryOp::kMulScalar:
      return for_each(MulScalar{a}, vectors, tile);
    case UnaryOp::kReverseSub:
      return for_each(ReverseSub{a}, vectors, tile);
    case UnaryOp::kReverseDiv:
      return for_each(ReverseDiv{a}, vectors, tile);
    case UnaryOp::kReverseDivTrunc:
      return for_each(ReverseDivTrunc{a}, vectors, tile);
    case UnaryOp::kReverseDivFloor:
      return for_each(ReverseDivFloor{a}, vectors, tile);
    default:
      return false;
  }
}

bool unary(UnaryOp op, const UnaryParameters& parameters, uint32_t vectors, float* tile) {
  return plain(op, vectors, tile) || with_scalar(op, parameters, vectors, tile);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lightmetal::device::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lightmetal::device::cpu {
namespace {

HWY_EXPORT(unary);

}  // namespace

bool unary_arithmetic(kernel_abi::UnaryOp op, const UnaryParameters& parameters, uint32_t vectors,
                      float* tile) {
  return HWY_DYNAMIC_DISPATCH(unary)(op, parameters, vectors, tile);
}

}  // namespace lightmetal::device::cpu
#endif  // HWY_ONCE
