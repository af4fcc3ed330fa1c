#include <cstddef>
#include <cstdint>

#include "device/cpu/sfpu/arithmetic.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "device/cpu/sfpu/activations.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include "device/cpu/sfpu/math-inl.h"

// The activation functions of neural networks.
HWY_BEFORE_NAMESPACE();
namespace lightmetal::device::cpu {
namespace HWY_NAMESPACE {
namespace {

using kernel_abi::UnaryOp;

// 0 at -infinity: the limit of x times a function that tends to zero faster than x grows.
HWY_INLINE Vector zero_at_minus_infinity(Vector x, Vector result) {
  return hn::IfThenElse(hn::Eq(x, set(-kInfinity)), zero(), result);
}

struct Gelu {
  HWY_INLINE Vector operator()(Vector x) const {
    return zero_at_minus_infinity(x, hn::Mul(x, normal_cumulative(x)));
  }
};
// The normal distribution's cumulative function, plus x times its density.
struct GeluDerivative {
  HWY_INLINE Vector operator()(Vector x) const {
    const Vector bounded = hn::Max(set(-20.0f), hn::Min(x, set(20.0f)));
    const Vector square = hn::Mul(bounded, bounded);
    const Vector density = hn::Mul(exp(hn::Mul(square, set(-0.5f))), set(0.398942280f));
    return or_nan(x, hn::MulAdd(bounded, density, normal_cumulative(bounded)));
  }
};
struct Silu {
  HWY_INLINE Vector operator()(Vector x) const {
    return zero_at_minus_infinity(x, hn::Mul(x, sigmoid(x)));
  }
};
// x tanh(log(1 + e^x)) = x n / (n + 2) with n = e^x (e^x + 2).
struct Mish {
  HWY_INLINE Vector operator()(Vector x) const {
    const Vector e = exp(hn::Min(x, set(20.0f)));
    const Vector n = hn::Mul(e, hn::Add(e, set(2.0f)));
    const Vector result = hn::Mul(x, hn::Div(n, hn::Add(n, set(2.0f))));
    return or_nan(x, zero_at_minus_infinity(x, result));
  }
};
struct HardMish {
  HWY_INLINE Vector operator()(Vector x) const {
    const Vector slope = hn::Max(zero(), hn::Min(hn::Add(x, set(2.8f)), set(5.0f)));
    return or_nan(x, zero_at_minus_infinity(x, hn::Mul(x, hn::Div(slope, set(5.0f)))));
  }
};
struct HardSigmoid {
  HWY_INLINE Vector operator()(Vector x) const {
    const Vector line = hn::Div(hn::Add(x, set(3.0f)), set(6.0f));
    return or_nan(x, hn::Max(zero(), hn::Min(line, set(1.0f))));
  }
};
struct SoftSign {
  HWY_INLINE Vector operator()(Vector x) const {
    const Vector size = hn::Abs(x);
    const Vector result = hn::Div(x, hn::Add(set(1.0f), size));
    return hn::IfThenElse(hn::Eq(size, set(kInfinity)), hn::CopySign(set(1.0f), x), result);
  }
};
// log(1 + e^(beta x)) / beta without overflow; x itself beyond the threshold.
struct SoftPlus {
  float beta, reciprocal, threshold;
  HWY_INLINE Vector operator()(Vector x) const {
    const Vector y = hn::Mul(x, set(beta));
    const Vector soft = hn::Add(hn::Max(y, zero()), log1p(exp(hn::Neg(hn::Abs(y)))));
    const Vector result = hn::Mul(soft, set(reciprocal));
    return or_nan(x, hn::IfThenElse(hn::Gt(y, set(threshold)), x, result));
  }
};
struct Relu {
  HWY_INLINE Vector operator()(Vector x) const {
    return hn::IfThenElse(hn::Lt(x, zero()), zero(), x);
  }
};
struct ReluMax {
  float limit;
  HWY_INLINE Vector operator()(Vector x) const {
    return Relu()(hn::IfThenElse(hn::Gt(x, set(limit)), set(limit), x));
  }
};
struct ReluMin {
  float limit;
  HWY_INLINE Vector operator()(Vector x) const {
    return Relu()(hn::IfThenElse(hn::Lt(x, set(limit)), set(limit), x));
  }
};
struct LeakyRelu {
  float slope;
  HWY_INLINE Vector operator()(Vector x) const {
    return hn::IfThenElse(hn::Lt(x, zero()), hn::Mul(x, set(slope)), x);
  }
};
// scale x, or scale alpha (e^(x / width) - 1) below zero: ELU, SELU and CELU.
struct ExponentialLinear {
  float scale, alpha, reciprocal_width;
  HWY_INLINE Vector operator()(Vector x) const {
    const Vector below = hn::Mul(expm1(hn::Mul(x, set(reciprocal_width))), set(alpha));
    return hn::Mul(hn::IfThenElse(hn::Lt(x, zero()), below, x), set(scale));
  }
};
struct SoftShrink {
  float lambda;
  HWY_INLINE Vector operator()(Vector x) const {
    const Vector limit = set(lambda);
    const Vector below = hn::IfThenElse(hn::Lt(x, hn::Neg(limit)), hn::Add(x, limit),
                                        hn::IfThenElseZero(hn::IsNaN(x), x));
    return hn::IfThenElse(hn::Gt(x, limit), hn::Sub(x, limit), below);
  }
};
struct HardShrink {
  float lambda;
  HWY_INLINE Vector operator()(Vector x) const {
    return hn::IfThenElse(hn::Le(hn::Abs(x), set(lambda)), zero(), x);
  }
};
struct Threshold {
  float threshold, value;
  HWY_INLINE Vector operator()(Vector x) const {
    return hn::IfThenElse(hn::Le(x, set(threshold)), set(value), x);
  }
};

bool unary(UnaryOp op, const UnaryParameters& p, uint32_t vectors, float* tile) {
  switch (op) {
    case UnaryOp::kGelu:
      return for_each(Gelu(), vectors, tile);
    case UnaryOp::kGeluDerivative:
      return for_each(GeluDerivative(), vectors, tile);
    case UnaryOp::kSilu:
      return for_each(Silu(), vectors, tile);
    case UnaryOp::kMish:
      return for_each(Mish(), vectors, tile);
    case UnaryOp::kHardMish:
      return for_each(HardMish(), vectors, tile);
    case UnaryOp::kHardSigmoid:
      return for_each(HardSigmoid(), vectors, tile);
    case UnaryOp::kSoftSign:
      return for_each(SoftSign(), vectors, tile);
    case UnaryOp::kSoftPlus:
      return for_each(SoftPlus{p.float_a(), p.float_b(), p.float_c()}, vectors, tile);
    case UnaryOp::kRelu:
      return for_each(Relu(), vectors, tile);
    case UnaryOp::kReluMax:
      return for_each(ReluMax{p.float_a()}, vectors, tile);
    case UnaryOp::kReluMin:
      return for_each(ReluMin{p.float_a()}, vectors, tile);
    case UnaryOp::kLeakyRelu:
      return for_each(LeakyRelu{p.float_a()}, vectors, tile);
    case UnaryOp::kElu:
      return for_each(ExponentialLinear{1.0f, p.float_a(), 1.0f}, vectors, tile);
    case UnaryOp::kSelu:
      return for_each(ExponentialLinear{p.float_a(), p.float_b(), 1.0f}, vectors, tile);
    case UnaryOp::kCelu:
      return for_each(ExponentialLinear{1.0f, p.float_a(), p.float_b()}, vectors, tile);
    case UnaryOp::kSoftShrink:
      return for_each(SoftShrink{p.float_a()}, vectors, tile);
    case UnaryOp::kHardShrink:
      return for_each(HardShrink{p.float_a()}, vectors, tile);
    case UnaryOp::kThreshold:
      return for_each(Threshold{p.float_a(), p.float_b()}, vectors, tile);
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

bool unary_activations(kernel_abi::UnaryOp op, const UnaryParameters& parameters, uint32_t vectors,
                       float* tile) {
  return HWY_DYNAMIC_DISPATCH(unary)(op, parameters, vectors, tile);
}

}  // namespace lightmetal::device::cpu
#endif  // HWY_ONCE
