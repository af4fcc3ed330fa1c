#include "device/cpu/tiles/float16_format.h"

#include <cstddef>

#include "device/cpu/tiles/arithmetic.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "device/cpu/tiles/float16_format.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace lightmetal::device::cpu {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::CappedTag<float, 16>;
using Words = hn::RebindToUnsigned<Floats>;
using Integers = hn::RebindToSigned<Floats>;
using Halves = hn::Rebind<uint16_t, Floats>;

// Exponent and mantissa are moved to their places in a float, where they stand for a value that is
// 2^112 times too small. The product with 2^112 is exact, also for halves that are not normal.
void unpack(const uint16_t* source, float* target) {
  const Floats floats;
  const Words words;
  const auto infinity = hn::Set(words, 0x7f800000);
  for (size_t i = 0; i < kTileElements; i += hn::Lanes(floats)) {
    const auto half = hn::PromoteTo(words, hn::LoadU(Halves(), source + i));
    const auto sign = hn::ShiftLeft<16>(hn::And(half, hn::Set(words, 0x8000)));
    const auto shifted = hn::ShiftLeft<13>(hn::And(half, hn::Set(words, 0x7fff)));
    const auto scaled = hn::Mul(hn::BitCast(floats, shifted), hn::Set(floats, 0x1p112f));
    const auto special = hn::Gt(shifted, hn::Set(words, 0x0f7fffff));
    const auto magnitude =
        hn::IfThenElse(special, hn::Or(shifted, infinity), hn::BitCast(words, scaled));
    hn::StoreU(hn::BitCast(floats, hn::Or(magnitude, sign)), floats, target + i);
  }
}

// Rounds: half of the lowest bit that stays is added, and a little less when that bit is even. A
// carry into the exponent gives the right result, up to infinity.
HWY_INLINE hn::Vec<Words> normal_half(hn::Vec<Words> magnitude) {
  const Words words;
  const auto odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(words, 1));
  const auto rebased = hn::Sub(magnitude, hn::Set(words, 112u << 23));
  return hn::ShiftRight<13>(hn::Add(rebased, hn::Add(odd, hn::Set(words, 0xfff))));
}

// The lowest bit of a float of 0.5 is 2^-24, like that of a half that is not normal. So the sum
// with 0.5 is rounded as the half must be.
HWY_INLINE hn::Vec<Words> small_half(hn::Vec<Words> magnitude) {
  const Floats floats;
  const Words words;
  const auto half = hn::Set(floats, 0.5f);
  const auto sum = hn::Add(hn::BitCast(floats, magnitude), half);
  return hn::Sub(hn::BitCast(words, sum), hn::BitCast(words, half));
}

void pack(const float* source, uint16_t* target) {
  const Floats floats;
  const Words words;
  for (size_t i = 0; i < kTileElements; i += hn::Lanes(floats)) {
    const auto bits = hn::BitCast(words, hn::LoadU(floats, source + i));
    const auto magnitude = hn::And(bits, hn::Set(words, 0x7fffffff));
    const auto sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(words, 0x8000));
    const auto quiet = hn::Or(hn::And(hn::ShiftRight<13>(magnitude), hn::Set(words, 0x1ff)),
                              hn::Set(words, 0x7e00));
    auto half = hn::IfThenElse(hn::Lt(magnitude, hn::Set(words, 0x38800000)), small_half(magnitude),
                               normal_half(magnitude));
    half =
        hn::IfThenElse(hn::Gt(magnitude, hn::Set(words, 0x477fffff)), hn::Set(words, 0x7c00), half);
    half = hn::IfThenElse(hn::Gt(magnitude, hn::Set(words, 0x7f800000)), quiet, half);
    const auto result = hn::BitCast(Integers(), hn::Or(half, sign));
    hn::StoreU(hn::DemoteTo(Halves(), result), Halves(), target + i);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lightmetal::device::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lightmetal::device::cpu {
namespace {

HWY_EXPORT(unpack);
HWY_EXPORT(pack);

}  // namespace

void unpack_float16(const uint16_t* source, float* target) {
  HWY_DYNAMIC_DISPATCH(unpack)(source, target);
}

void pack_float16(const float* source, uint16_t* target) {
  HWY_DYNAMIC_DISPATCH(pack)(source, target);
}

}  // namespace lightmetal::device::cpu
#endif  // HWY_ONCE
