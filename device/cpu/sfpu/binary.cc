#include <cmath>
#include <cstddef>
#include <cstdint>

#include "device/cpu/sfpu/arithmetic.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "device/cpu/sfpu/binary.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include "device/cpu/sfpu/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lightmetal::device::cpu {
namespace HWY_NAMESPACE {
namespace {

using kernel_abi::SfpuBinaryOp;

struct Add {
  HWY_INLINE Vector operator()(Vector a, Vector b) const { return hn::Add(a, b); }
};
struct Sub {
  HWY_INLINE Vector operator()(Vector a, Vector b) const { return hn::Sub(a, b); }
};
struct ReverseSub {
  HWY_INLINE Vector operator()(Vector a, Vector b) const { return hn::Sub(b, a); }
};
struct Mul {
  HWY_INLINE Vector operator()(Vector a, Vector b) const { return hn::Mul(a, b); }
};
struct Div {
  HWY_INLINE Vector operator()(Vector a, Vector b) const { return hn::Div(a, b); }
};
struct DivOrZero {
  HWY_INLINE Vector operator()(Vector a, Vector b) const {
    return hn::IfThenElse(hn::Eq(b, zero()), zero(), hn::Div(a, b));
  }
};
struct Maximum {
  HWY_INLINE Vector operator()(Vector a, Vector b) const {
    return hn::IfThenElse(hn::Or(hn::Gt(a, b), hn::IsNaN(a)), a, b);
  }
};
struct Minimum {
  HWY_INLINE Vector operator()(Vector a, Vector b) const {
    return hn::IfThenElse(hn::Or(hn::Lt(a, b), hn::IsNaN(a)), a, b);
  }
};
// a log b, and 0 where a is 0 unless b is NaN.
struct XLogY {
  HWY_INLINE Vector operator()(Vector a, Vector b) const {
    const Mask is_zero = hn::And(hn::Eq(a, zero()), hn::Eq(b, b));
    return hn::IfThenElse(is_zero, zero(), hn::Mul(a, log(b)));
  }
};
struct Equal {
  HWY_INLINE Vector operator()(Vector a, Vector b) const { return one_where(hn::Eq(a, b)); }
};
struct NotEqual {
  HWY_INLINE Vector operator()(Vector a, Vector b) const { return one_where(unequal(a, b)); }
};
struct Less {
  HWY_INLINE Vector operator()(Vector a, Vector b) const { return one_where(hn::Lt(a, b)); }
};
struct LessEqual {
  HWY_INLINE Vector operator()(Vector a, Vector b) const { return one_where(hn::Le(a, b)); }
};

template <typename Op>
HWY_INLINE bool for_each_pair(Op op, const float* a, const float* b, uint32_t vectors,
                              float* result) {
  const Tag tag;
  for_each_run(vectors, [&](uint32_t begin, uint32_t end) HWY_ATTR {
    for (size_t i = begin; i < end; i += hn::Lanes(tag)) {
      hn::StoreU(op(hn::LoadU(tag, a + i), hn::LoadU(tag, b + i)), tag, result + i);
    }
  });
  return true;
}

bool binary(SfpuBinaryOp op, const float* a, const float* b, uint32_t vectors, float* result) {
  switch (op) {
    case SfpuBinaryOp::kAdd:
      return for_each_pair(Add(), a, b, vectors, result);
    case SfpuBinaryOp::kSub:
      return for_each_pair(Sub(), a, b, vectors, result);
    case SfpuBinaryOp::kReverseSub:
      return for_each_pair(ReverseSub(), a, b, vectors, result);
    case SfpuBinaryOp::kMul:
      return for_each_pair(Mul(), a, b, vectors, result);
    case SfpuBinaryOp::kDiv:
      return for_each_pair(Div(), a, b, vectors, result);
    case SfpuBinaryOp::kDivOrZero:
      return for_each_pair(DivOrZero(), a, b, vectors, result);
    case SfpuBinaryOp::kMaximum:
      return for_each_pair(Maximum(), a, b, vectors, result);
    case SfpuBinaryOp::kMinimum:
      return for_each_pair(Minimum(), a, b, vectors, result);
    case SfpuBinaryOp::kXLogY:
      return for_each_pair(XLogY(), a, b, vectors, result);
    case SfpuBinaryOp::kEqual:
      return for_each_pair(Equal(), a, b, vectors, result);
    case SfpuBinaryOp::kNotEqual:
      return for_each_pair(NotEqual(), a, b, vectors, result);
    case SfpuBinaryOp::kLess:
      return for_each_pair(Less(), a, b, vectors, result);
    case SfpuBinaryOp::kLessEqual:
      return for_each_pair(LessEqual(), a, b, vectors, result);
    case SfpuBinaryOp::kGreater:
      return for_each_pair(Less(), b, a, vectors, result);
    case SfpuBinaryOp::kGreaterEqual:
      return for_each_pair(LessEqual(), b, a, vectors, result);
    case SfpuBinaryOp::kPower:
      break;  // not vectorised: power() below
  }
  return false;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lightmetal::device::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lightmetal::device::cpu {
namespace {

HWY_EXPORT(binary);

bool power(const float* a, const float* b, uint32_t vectors, float* result) {
  for_each_run(vectors, [&](uint32_t begin, uint32_t end) {
    for (uint32_t i = begin; i < end; ++i) {
      result[i] = static_cast<float>(std::pow(static_cast<double>(a[i]), b[i]));
    }
  });
  return true;
}

}  // namespace

bool sfpu_binary_floats(kernel_abi::SfpuBinaryOp op, const float* left, const float* right,
                        uint32_t vectors, float* result) {
  if (op == kernel_abi::SfpuBinaryOp::kPower) return power(left, right, vectors, result);
  return HWY_DYNAMIC_DISPATCH(binary)(op, left, right, vectors, result);
}

}  // namespace lightmetal::device::cpu
#endif  // HWY_ONCE
