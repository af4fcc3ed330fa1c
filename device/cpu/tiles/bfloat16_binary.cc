#include "device/cpu/tiles/bfloat16_binary.h"

#include <cstddef>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "device/cpu/tiles/bfloat16_binary.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace lightmetal::device::cpu {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using kernel_abi::BinaryOp;
using Floats = hn::CappedTag<float, 16>;
using Words = hn::RebindToUnsigned<Floats>;
using Halves = hn::Rebind<uint16_t, Floats>;
using Vector = hn::Vec<Floats>;

// A bfloat16 is the upper half of a float.
HWY_INLINE Vector widened(const uint16_t* source) {
  const auto words = hn::PromoteTo(Words(), hn::LoadU(Halves(), source));
  return hn::BitCast(Floats(), hn::ShiftLeft<16>(words));
}

template <typename Op>
HWY_INLINE void for_each_pair(Op op, const uint16_t* a, const uint16_t* b, bool accumulate,
                              float* target) {
  const Floats floats;
  for (size_t i = 0; i < kernel_abi::kTileElements; i += hn::Lanes(floats)) {
    Vector result = op(widened(a + i), widened(b + i));
    if (accumulate) result = hn::Add(hn::LoadU(floats, target + i), result);
    hn::StoreU(result, floats, target + i);
  }
}

struct Add {
  HWY_INLINE Vector operator()(Vector a, Vector b) const { return hn::Add(a, b); }
};
struct Sub {
  HWY_INLINE Vector operator()(Vector a, Vector b) const { return hn::Sub(a, b); }
};
struct Mul {
  HWY_INLINE Vector operator()(Vector a, Vector b) const { return hn::Mul(a, b); }
};

void binary(BinaryOp op, const uint16_t* a, const uint16_t* b, bool accumulate, float* target) {
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

void binary_bfloat16(kernel_abi::BinaryOp op, const void* a, const void* b, bool accumulate,
                     float* target) {
  HWY_DYNAMIC_DISPATCH(binary)
  (op, static_cast<const uint16_t*>(a), static_cast<const uint16_t*>(b), accumulate, target);
}

}  // namespace lightmetal::device::cpu
#endif  // HWY_ONCE
