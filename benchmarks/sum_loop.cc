#include "benchmarks/sum_loop.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "benchmarks/sum_loop.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace lightmetal::bench {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

void add(const uint16_t* HWY_RESTRICT a, const uint16_t* HWY_RESTRICT b, uint16_t* HWY_RESTRICT sum,
         size_t count) {
  const hn::ScalableTag<float> floats;
  const hn::RebindToUnsigned<decltype(floats)> words;
  const hn::RebindToSigned<decltype(floats)> integers;
  const hn::Rebind<uint16_t, decltype(floats)> halves;
  const auto widened = [&](const uint16_t* from) {
    return hn::BitCast(floats, hn::ShiftLeft<16>(hn::PromoteTo(words, hn::LoadU(halves, from))));
  };
  const auto odd = hn::Set(words, 1), most = hn::Set(words, 0x7fff);
  for (size_t i = 0; i < count; i += hn::Lanes(floats)) {
    const auto bits = hn::BitCast(words, hn::Add(widened(a + i), widened(b + i)));
    const auto up = hn::Add(hn::And(hn::ShiftRight<16>(bits), odd), most);
    const auto rounded = hn::ShiftRight<16>(hn::Add(bits, up));
    hn::StoreU(hn::DemoteTo(halves, hn::BitCast(integers, rounded)), halves, sum + i);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lightmetal::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lightmetal::bench {

HWY_EXPORT(add);

void add_bfloat16s(const uint16_t* a, const uint16_t* b, uint16_t* sum, size_t count) {
  HWY_DYNAMIC_DISPATCH(add)(a, b, sum, count);
}

}  // namespace lightmetal::bench
#endif  // HWY_ONCE
