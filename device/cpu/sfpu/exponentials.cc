#include <cstddef>
#include <cstdint>

#include "device/cpu/sfpu/arithmetic.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "device/cpu/sfpu/exponentials.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include "device/cpu/sfpu/math-inl.h"

// Powers and logarithms, and the functions of statistics made of them.
HWY_BEFORE_NAMESPACE();
namespace lightmetal::device::cpu {
namespace HWY_NAMESPACE {
namespace {

using kernel_abi::UnaryOp;

struct Exp {
  HWY_INLINE Vector operator()(Vector x) const { return exp(x); }
};
struct ScaledExp {
  float scale;
  HWY_INLINE Vector operator()(Vector x) const { return exp(hn::Mul(x, set(scale))); }
};
struct Exp2 {
  HWY_INLINE Vector operator()(Vector x) const { return exp2(x); }
};
struct Expm1 {
  HWY_INLINE Vector operator()(Vector x) const { return expm1(x); }
};
struct Log {
  HWY_INLINE Vector operator()(Vector x) const { return log(x); }
};
struct ScaledLog {
  float scale;
  HWY_INLINE Vector operator()(Vector x) const { return hn::Mul(log(x), set(scale)); }
};
struct Log1p {
  HWY_INLINE Vector operator()(Vector x) const { return log1p(x); }
};
struct Sigmoid {
  HWY_INLINE Vector operator()(Vector x) const { return sigmoid(x); }
};
struct Tanh {
  HWY_INLINE Vector operator()(Vector x) const { return tanh(x); }
};
// 1 - tanh², without the cancellation of that formula where tanh is near 1.
struct TanhDerivative {
  HWY_INLINE Vector operator()(Vector x) const {
    const Vector e = exp(hn::Mul(hn::Abs(x), set(-2.0f)));
    const Vector quotient = hn::Div(set(2.0f), hn::Add(set(1.0f), e));
    return hn::Mul(hn::Mul(quotient, quotient), e);
  }
};
struct Erf {
  HWY_INLINE Vector operator()(Vector x) const { return erf(x); }
};
struct Erfc {
  HWY_INLINE Vector operator()(Vector x) const { return erfc(x); }
};
// Computed from e^(x/2), which does not overflow before the result does.
struct Cosh {
  HWY_INLINE Vector operator()(Vector x) const {
    const Vector e = exp(hn::Mul(hn::Abs(x), set(0.5f)));
    return hn::Add(hn::Mul(hn::Mul(e, set(0.5f)), e),
                   hn::Div(set(0.5f), hn::Mul(e, hn::Min(e, set(1e15f)))));
  }
};
struct Sinh {
  HWY_INLINE Vector operator()(Vector x) const {
    const Vector size = hn::Abs(x);
    const Vector e = exp(hn::Mul(size, set(0.5f)));
    const Vector large = hn::CopySign(hn::Mul(hn::Mul(e, set(0.5f)), e), x);
    const Vector small = hn::Sinh(Tag(), hn::Max(set(-20.0f), hn::Min(x, set(20.0f))));
    const Vector result = hn::IfThenElse(hn::Gt(size, set(15.0f)), large, small);
    return or_nan(x, hn::IfThenElse(hn::Eq(x, zero()), x, result));
  }
};

bool unary(UnaryOp op, const UnaryParameters& parameters, uint32_t vectors, float* tile) {
  switch (op) {
    case UnaryOp::kExp:
      return for_each(Exp(), vectors, tile);
    case UnaryOp::kScaledExp:
      return for_each(ScaledExp{parameters.float_a()}, vectors, tile);
    case UnaryOp::kExp2:
      return for_each(Exp2(), vectors, tile);
    case UnaryOp::kExpm1:
      return for_each(Expm1(), vectors, tile);
    case UnaryOp::kLog:
      return for_each(Log(), vectors, tile);
    case UnaryOp::kScaledLog:
      return for_each(ScaledLog{parameters.float_a()}, vectors, tile);
    case UnaryOp::kLog1p:
      return for_each(Log1p(), vectors, tile);
    case UnaryOp::kSigmoid:
      return for_each(Sigmoid(), vectors, tile);
    case UnaryOp::kTanh:
      return for_each(Tanh(), vectors, tile);
    case UnaryOp::kTanhDerivative:
      return for_each(TanhDerivative(), vectors, tile);
    case UnaryOp::kErf:
      return for_each(Erf(), vectors, tile);
    case UnaryOp::kErfc:
      return for_each(Erfc(), vectors, tile);
    case UnaryOp::kCosh:
      return for_each(Cosh(), vectors, tile);
    case UnaryOp::kSinh:
      return for_each(Sinh(), vectors, tile);
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

bool unary_exponentials(kernel_abi::UnaryOp op, const UnaryParameters& parameters, uint32_t vectors,
                        float* tile) {
  return HWY_DYNAMIC_DISPATCH(unary)(op, parameters, vectors, tile);
}

}  // namespace lightmetal::device::cpu
#endif  // HWY_ONCE
