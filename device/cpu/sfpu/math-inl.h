// Vectors of floats and functions of them, compiled once for each instruction set: to be included
// between foreach_target.h and HWY_BEFORE_NAMESPACE. Each function is right for all floats,
// infinities and NaN included; its relative error is at most 1e-6 where no comment says otherwise.

#if defined(LIGHTMETAL_DEVICE_CPU_SFPU_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LIGHTMETAL_DEVICE_CPU_SFPU_MATH_INL_H_
#undef LIGHTMETAL_DEVICE_CPU_SFPU_MATH_INL_H_
#else
#define LIGHTMETAL_DEVICE_CPU_SFPU_MATH_INL_H_
#endif

#include <hwy/highway.h>
// After highway.h.
#include <hwy/contrib/math/math-inl.h>

#include <limits>

#include "device/cpu/sfpu/arithmetic.h"

HWY_BEFORE_NAMESPACE();
namespace lightmetal::device::cpu {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<float, 16>;
using Vector = hn::Vec<Tag>;
using Mask = hn::Mask<Tag>;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

HWY_INLINE Vector set(float value) { return hn::Set(Tag(), value); }
HWY_INLINE Vector zero() { return hn::Zero(Tag()); }
HWY_INLINE Vector one_where(Mask mask) { return hn::IfThenElseZero(mask, set(1.0f)); }

// Highway's Ne is false for NaN with some instruction sets.
HWY_INLINE Mask unequal(Vector a, Vector b) { return hn::Not(hn::Eq(a, b)); }

// `result`, but NaN where x is NaN: Highway's functions are right within their ranges only.
HWY_INLINE Vector or_nan(Vector x, Vector result) {
  return hn::IfThenElse(hn::IsNaN(x), x, result);
}

// c[0] x^(N-1) + ... + c[N-1]
template <size_t N>
HWY_INLINE Vector polynomial(Vector x, const float (&coefficients)[N]) {
  Vector sum = set(coefficients[0]);
  for (size_t i = 1; i < N; ++i) sum = hn::MulAdd(sum, x, set(coefficients[i]));
  return sum;
}

HWY_INLINE Vector exp(Vector x) { return or_nan(x, hn::Exp(Tag(), hn::Min(x, set(100.0f)))); }

HWY_INLINE Vector expm1(Vector x) {
  const Vector result = hn::Expm1(Tag(), hn::Min(x, set(100.0f)));
  return or_nan(x, hn::IfThenElse(hn::Eq(x, zero()), x, result));
}

// 2^n for whole numbers from -126 to 127.
HWY_INLINE Vector power_of_two(hn::Vec<hn::RebindToSigned<Tag>> n) {
  const hn::RebindToSigned<Tag> integers;
  return hn::BitCast(Tag(), hn::ShiftLeft<23>(hn::Add(n, hn::Set(integers, 127))));
}

HWY_INLINE Vector exp2(Vector x) {
  const hn::RebindToSigned<Tag> integers;
  const Vector bounded = hn::Max(set(-160.0f), hn::Min(x, set(160.0f)));
  const Vector whole = hn::Round(bounded);
  const Vector part = hn::Exp(Tag(), hn::Mul(hn::Sub(bounded, whole), set(0.693147181f)));
  const auto n = hn::ConvertTo(integers, whole);
  const auto half = hn::ShiftRight<1>(n);  // in two steps, for denormal results
  return or_nan(x, hn::Mul(hn::Mul(part, power_of_two(half)), power_of_two(hn::Sub(n, half))));
}

HWY_INLINE Vector log(Vector x) {
  Vector result = hn::Log(Tag(), x);
  result = hn::IfThenElse(hn::Eq(x, zero()), set(-kInfinity), result);
  result = hn::IfThenElse(hn::Eq(x, set(kInfinity)), x, result);
  return or_nan(x, hn::IfThenElse(hn::Lt(x, zero()), set(kNan), result));
}

HWY_INLINE Vector log1p(Vector x) {
  const Vector minus_one = set(-1.0f);
  Vector result = hn::Log1p(Tag(), x);
  result = hn::IfThenElse(hn::Eq(x, minus_one), set(-kInfinity), result);
  result = hn::IfThenElse(hn::Eq(x, set(kInfinity)), x, result);
  return or_nan(x, hn::IfThenElse(hn::Lt(x, minus_one), set(kNan), result));
}

HWY_INLINE Vector tanh(Vector x) {
  const Vector limit = set(20.0f);  // tanh is 1 there
  return or_nan(x, hn::Tanh(Tag(), hn::Max(hn::Neg(limit), hn::Min(x, limit))));
}

// e^-|x| does not overflow.
HWY_INLINE Vector sigmoid(Vector x) {
  const Vector e = exp(hn::Neg(hn::Abs(x)));
  const Vector numerator = hn::IfThenElse(hn::Lt(x, zero()), e, set(1.0f));
  return or_nan(x, hn::Div(numerator, hn::Add(set(1.0f), e)));
}

// The part of x * x that rounding the product loses (T. J. Dekker, "A floating-point technique for
// extending the available precision", 1971).
HWY_INLINE Vector square_remainder(Vector x, Vector square) {
  const Vector high =
      hn::And(x, hn::BitCast(Tag(), hn::Set(hn::RebindToUnsigned<Tag>(), 0xfffff000u)));
  const Vector low = hn::Sub(x, high);
  const Vector cross = hn::Mul(hn::Add(high, high), low);
  return hn::Add(hn::Add(hn::Sub(hn::Mul(high, high), square), cross), hn::Mul(low, low));
}

// e^(x²/2) times the normal distribution's upper tail beyond x, for x from 0 to 15: a polynomial in
// (x - 3) / (x + 3), over x + 3 (Chebyshev fit, relative error 6e-10).
HWY_INLINE Vector scaled_tail(Vector x) {
  constexpr float kTail[] = {6.37173025e-06f, 6.57131168e-05f, 0.000128341591f, -0.00025755493f,
                             -0.001033935f,   0.0010300217f,   0.00697022909f,  -0.0104634296f,
                             -0.0472628213f,  0.230017751f,    -0.509332001f,   0.729083717f};
  const Vector reciprocal = hn::Div(set(1.0f), hn::Add(x, set(3.0f)));
  return hn::Mul(polynomial(hn::Mul(hn::Sub(x, set(3.0f)), reciprocal), kTail), reciprocal);
}

// The normal distribution's tail beyond x >= 0.
HWY_INLINE Vector normal_tail(Vector x) {
  const Vector bounded = hn::Min(x, set(15.0f));  // 0 there
  const Vector square = hn::Mul(bounded, bounded);
  const Vector lost = square_remainder(bounded, square);
  const Vector e = hn::Mul(hn::Exp(Tag(), hn::Mul(square, set(-0.5f))),
                           hn::NegMulAdd(lost, set(0.5f), set(1.0f)));
  return hn::Mul(e, scaled_tail(bounded));
}

// The normal distribution's cumulative function.
HWY_INLINE Vector normal_cumulative(Vector x) {
  const Vector tail = normal_tail(hn::Abs(x));
  return or_nan(x, hn::IfThenElse(hn::Lt(x, zero()), tail, hn::Sub(set(1.0f), tail)));
}

// erfc for x >= 0.
HWY_INLINE Vector positive_erfc(Vector x) {
  const Vector bounded = hn::Min(x, set(10.6f));  // 0 there
  const Vector square = hn::Mul(bounded, bounded);
  const Vector lost = square_remainder(bounded, square);
  const Vector e = hn::Mul(hn::Exp(Tag(), hn::Neg(square)), hn::Sub(set(1.0f), lost));
  const Vector tail = scaled_tail(hn::Mul(bounded, set(1.41421356f)));
  return hn::Mul(e, hn::Add(tail, tail));
}

HWY_INLINE Vector erfc(Vector x) {
  const Vector result = positive_erfc(hn::Abs(x));
  return or_nan(x, hn::IfThenElse(hn::Lt(x, zero()), hn::Sub(set(2.0f), result), result));
}

// x times a polynomial in x² up to 1 (Chebyshev fit, relative error 1e-9), 1 - erfc beyond.
HWY_INLINE Vector erf(Vector x) {
  constexpr float kErf[] = {7.87587487e-05f, -0.00080168643f, 0.00518908724f, -0.0268542115f,
                            0.112835944f,    -0.37612626f,    1.12837911f};
  const Vector size = hn::Abs(x);
  const Vector near = hn::Mul(x, polynomial(hn::Mul(x, x), kErf));
  const Vector far = hn::CopySign(hn::Sub(set(1.0f), positive_erfc(size)), x);
  return or_nan(x, hn::IfThenElse(hn::Lt(size, set(1.0f)), near, far));
}

// Applies `op` to each element of those vectors of a tile whose bits are set. Returns true, which
// callers hand on: they know the operation.
template <typename Op>
HWY_INLINE bool for_each(Op op, uint32_t vectors, float* tile) {
  const Tag tag;
  for_each_run(vectors, [&](uint32_t begin, uint32_t end) HWY_ATTR {
    for (size_t i = begin; i < end; i += hn::Lanes(tag)) {
      hn::StoreU(op(hn::LoadU(tag, tile + i)), tag, tile + i);
    }
  });
  return true;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lightmetal::device::cpu
HWY_AFTER_NAMESPACE();

#endif
