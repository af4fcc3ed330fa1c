#include <cmath>
#include <cstddef>
#include <cstdint>

#include "device/cpu/sfpu/arithmetic.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "device/cpu/sfpu/trigonometry.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include "device/cpu/sfpu/math-inl.h"

// Trigonometric functions and the inverses of the hyperbolic ones.
HWY_BEFORE_NAMESPACE();
namespace lightmetal::device::cpu {
namespace HWY_NAMESPACE {
namespace {

using kernel_abi::UnaryOp;

// Highway's functions reduce angles up to this size. Larger angles are computed one by one.
constexpr float kLargestAngle = 39000.0f;

// Applies `vectorised` when all angles have a usual size, and else `scalar` to each element.
template <typename Vectorised, typename Scalar>
HWY_INLINE Vector of_angle(Vector x, Vectorised vectorised, Scalar scalar) {
  const Tag tag;
  if (HWY_LIKELY(hn::AllTrue(tag, hn::Le(hn::Abs(x), set(kLargestAngle))))) {
    return vectorised(x);
  }
  HWY_ALIGN float values[16];
  hn::Store(x, tag, values);
  for (size_t i = 0; i < hn::Lanes(tag); ++i) {
    values[i] = static_cast<float>(scalar(static_cast<double>(values[i])));
  }
  return hn::Load(tag, values);
}

HWY_INLINE Vector sin_within_range(Vector x) {
  return hn::IfThenElse(hn::Eq(x, zero()), x, hn::Sin(Tag(), x));
}

struct Sin {
  HWY_INLINE Vector operator()(Vector x) const {
    return of_angle(
        x, [](Vector angle) HWY_ATTR { return sin_within_range(angle); },
        [](double angle) { return std::sin(angle); });
  }
};
struct Cos {
  HWY_INLINE Vector operator()(Vector x) const {
    return of_angle(
        x, [](Vector angle) HWY_ATTR { return hn::Cos(Tag(), angle); },
        [](double angle) { return std::cos(angle); });
  }
};
struct Tan {
  HWY_INLINE Vector operator()(Vector x) const {
    return of_angle(
        x,
        [](Vector angle)
            HWY_ATTR { return hn::Div(sin_within_range(angle), hn::Cos(Tag(), angle)); },
        [](double angle) { return std::tan(angle); });
  }
};

HWY_INLINE Vector nan_unless(Mask valid, Vector result) {
  return hn::IfThenElse(valid, result, set(kNan));
}

struct Asin {
  HWY_INLINE Vector operator()(Vector x) const {
    return nan_unless(hn::Le(hn::Abs(x), set(1.0f)), hn::Asin(Tag(), x));
  }
};
struct Acos {
  HWY_INLINE Vector operator()(Vector x) const {
    return nan_unless(hn::Le(hn::Abs(x), set(1.0f)), hn::Acos(Tag(), x));
  }
};
struct Atan {
  HWY_INLINE Vector operator()(Vector x) const {
    return or_nan(x, hn::IfThenElse(hn::Eq(x, zero()), x, hn::Atan(Tag(), x)));
  }
};
struct Asinh {
  HWY_INLINE Vector operator()(Vector x) const {
    const Mask as_it_is = hn::Or(hn::Eq(x, zero()), hn::Eq(hn::Abs(x), set(kInfinity)));
    return or_nan(x, hn::IfThenElse(as_it_is, x, hn::Asinh(Tag(), x)));
  }
};
struct Acosh {
  HWY_INLINE Vector operator()(Vector x) const {
    const Vector result = hn::IfThenElse(hn::Eq(x, set(kInfinity)), x, hn::Acosh(Tag(), x));
    return nan_unless(hn::Ge(x, set(1.0f)), result);
  }
};
struct Atanh {
  HWY_INLINE Vector operator()(Vector x) const {
    const Vector size = hn::Abs(x);
    Vector result = hn::Atanh(Tag(), x);
    result = hn::IfThenElse(hn::Eq(size, set(1.0f)), hn::CopySign(set(kInfinity), x), result);
    result = hn::IfThenElse(hn::Eq(x, zero()), x, result);
    return nan_unless(hn::Le(size, set(1.0f)), result);
  }
};

bool unary(UnaryOp op, uint32_t vectors, float* tile) {
  switch (op) {
    case UnaryOp::kSin:
      return for_each(Sin(), vectors, tile);
    case UnaryOp::kCos:
      return for_each(Cos(), vectors, tile);
    case UnaryOp::kTan:
      return for_each(Tan(), vectors, tile);
    case UnaryOp::kAsin:
      return for_each(Asin(), vectors, tile);
    case UnaryOp::kAcos:
      return for_each(Acos(), vectors, tile);
    case UnaryOp::kAtan:
      return for_each(Atan(), vectors, tile);
    case UnaryOp::kAsinh:
      return for_each(Asinh(), vectors, tile);
    case UnaryOp::kAcosh:
      return for_each(Acosh(), vectors, tile);
    case UnaryOp::kAtanh:
      return for_each(Atanh(), vectors, tile);
    default:
      return false;
  }
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

bool unary_trigonometry(kernel_abi::UnaryOp op, uint32_t vectors, float* tile) {
  return HWY_DYNAMIC_DISPATCH(unary)(op, vectors, tile);
}

}  // namespace lightmetal::device::cpu
#endif  // HWY_ONCE
