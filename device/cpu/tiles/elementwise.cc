#include <cstddef>
#include <cstdint>

#include "device/cpu/tiles/arithmetic.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "device/cpu/tiles/elementwise.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace lightmetal::device::cpu {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<float, 16>;
using Vector = hn::Vec<Tag>;
using kernel_abi::BinaryOp;

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

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lightmetal::device::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lightmetal::device::cpu {
namespace {

HWY_EXPORT(binary);

}  // namespace

void binary_floats(kernel_abi::BinaryOp op, const float* a, const float* b, bool accumulate,
                   float* target) {
  HWY_DYNAMIC_DISPATCH(binary)(op, a, b, accumulate, target);
}

}  // namespace lightmetal::device::cpu
#endif  // HWY_ONCE
