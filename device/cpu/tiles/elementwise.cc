#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "device/cpu/tiles/arithmetic.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "device/cpu/tiles/elementwise.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After highway.h.
#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace lightmetal::device::cpu {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<float, 16>;
using Vector = hn::Vec<Tag>;
using kernel_abi::BinaryOp;
using kernel_abi::UnaryOp;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Add {
  HWY_INLINE Vector operator()(Vector a, Vector b) const { return hn::Add(a, b); }
};
struct Sub {
  HWY_INLINE Vector operator()(Vector a, Vector b) const { return hn::Sub(a, b); }
};
struct Mul {
  HWY_INLINE Vector operator()(Vector a, Vector b) const { return hn::Mul(a, b); }
};

template <typename Op>
HWY_INLINE void for_each_pair(Op op, const float* a, const float* b, bool accumulate,
                              float* target) {
  const Tag tag;
  for (size_t i = 0; i < kTileElements; i += hn::Lanes(tag)) {
    Vector result = op(hn::LoadU(tag, a + i), hn::LoadU(tag, b + i));
    if (accumulate) result = hn::Add(hn::LoadU(tag, target + i), result);
    hn::StoreU(result, tag, target + i);
  }
}

void binary(BinaryOp op, const float* a, const float* b, bool accumulate, float* target) {
  switch (op) {
    case BinaryOp::kAdd:
      return for_each_pair(Add(), a, b, accumulate, target);
    case BinaryOp::kSub:
      return for_each_pair(Sub(), a, b, accumulate, target);
    case BinaryOp::kMul:
      return for_each_pair(Mul(), a, b, accumulate, target);
  }
}

// Highway's functions hold within their ranges; what lies outside is put in here.
HWY_INLINE Vector or_nan(Vector x, Vector result) {
  return hn::IfThenElse(hn::IsNaN(x), x, result);
}

struct Exp {
  HWY_INLINE Vector operator()(Vector x) const {
    const Tag tag;
    const Vector result = hn::Exp(tag, hn::Min(x, hn::Set(tag, 100.0f)));
    return or_nan(x, result);
  }
};

struct Log {
  HWY_INLINE Vector operator()(Vector x) const {
    const Tag tag;
    const Vector zero = hn::Zero(tag);
    Vector result = hn::Log(tag, x);
    result = hn::IfThenElse(hn::Eq(x, zero), hn::Set(tag, -kInfinity), result);
    result = hn::IfThenElse(hn::Eq(x, hn::Set(tag, kInfinity)), x, result);
    result = hn::IfThenElse(hn::Lt(x, zero), hn::Set(tag, std::numeric_limits<float>::quiet_NaN()),
                            result);
    return or_nan(x, result);
  }
};

struct Tanh {
  HWY_INLINE Vector operator()(Vector x) const {
    const Tag tag;
    const Vector limit = hn::Set(tag, 20.0f);  // tanh is 1 there
    return or_nan(x, hn::Tanh(tag, hn::Max(hn::Neg(limit), hn::Min(x, limit))));
  }
};

struct Sigmoid {
  HWY_INLINE Vector operator()(Vector x) const {
    const Vector one = hn::Set(Tag(), 1.0f);
    return hn::Div(one, hn::Add(one, Exp()(hn::Neg(x))));
  }
};

struct Relu {
  HWY_INLINE Vector operator()(Vector x) const {
    const Vector zero = hn::Zero(Tag());
    return hn::IfThenElse(hn::Lt(x, zero), zero, x);
  }
};

struct Sqrt {
  HWY_INLINE Vector operator()(Vector x) const { return hn::Sqrt(x); }
};
struct Recip {
  HWY_INLINE Vector operator()(Vector x) const { return hn::Div(hn::Set(Tag(), 1.0f), x); }
};
struct Rsqrt {
  HWY_INLINE Vector operator()(Vector x) const {
    return hn::Div(hn::Set(Tag(), 1.0f), hn::Sqrt(x));
  }
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

template <typename Op>
HWY_INLINE void for_each(Op op, float* tile) {
  const Tag tag;
  for (size_t i = 0; i < kTileElements; i += hn::Lanes(tag)) {
    hn::StoreU(op(hn::LoadU(tag, tile + i)), tag, tile + i);
  }
}

void unary(UnaryOp op, float* tile) {
  switch (op) {
    case UnaryOp::kExp:
      return for_each(Exp(), tile);
    case UnaryOp::kRelu:
      return for_each(Relu(), tile);
    case UnaryOp::kSqrt:
      return for_each(Sqrt(), tile);
    case UnaryOp::kRecip:
      return for_each(Recip(), tile);
    case UnaryOp::kLog:
      return for_each(Log(), tile);
    case UnaryOp::kSigmoid:
      return for_each(Sigmoid(), tile);
    case UnaryOp::kTanh:
      return for_each(Tanh(), tile);
    case UnaryOp::kAbs:
      return for_each(Abs(), tile);
    case UnaryOp::kNegative:
      return for_each(Negative(), tile);
    case UnaryOp::kSquare:
      return for_each(Square(), tile);
    case UnaryOp::kRsqrt:
      return for_each(Rsqrt(), tile);
    case UnaryOp::kGelu:
      return;  // not vectorised: gelu() below
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lightmetal::device::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lightmetal::device::cpu {
namespace {

HWY_EXPORT(binary);
HWY_EXPORT(unary);

// x times the normal distribution's cumulative function; in double, for the left tail's sake.
void gelu(float* tile) {
  for (uint32_t i = 0; i < kTileElements; ++i) {
    const double x = tile[i];
    tile[i] = x == -std::numeric_limits<double>::infinity()
                  ? 0.0f
                  : static_cast<float>(0.5 * x * std::erfc(-x * M_SQRT1_2));
  }
}

}  // namespace

void binary_floats(kernel_abi::BinaryOp op, const float* a, const float* b, bool accumulate,
                   float* target) {
  HWY_DYNAMIC_DISPATCH(binary)(op, a, b, accumulate, target);
}

bool unary_floats(kernel_abi::UnaryOp op, float* tile) {
  if (op > kernel_abi::UnaryOp::kRsqrt) return false;
  if (op == kernel_abi::UnaryOp::kGelu) {
    gelu(tile);
  } else {
    HWY_DYNAMIC_DISPATCH(unary)(op, tile);
  }
  return true;
}

}  // namespace lightmetal::device::cpu
#endif  // HWY_ONCE
