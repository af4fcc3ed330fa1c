#include <cstddef>
#include <cstdint>
#include <cstring>

#include "device/cpu/tiles/arithmetic.h"
#include "device/cpu/tiles/block_formats.h"
#include "device/cpu/tiles/float16_format.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "device/cpu/tiles/formats.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace lightmetal::device::cpu {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::CappedTag<float, 16>;
using Words = hn::RebindToUnsigned<Floats>;
using Halves = hn::Rebind<uint16_t, Floats>;

// A bfloat16 is the upper half of a float.
void unpack_bfloat16(const uint16_t* source, float* target) {
  const Floats floats;
  for (size_t i = 0; i < kTileElements; i += hn::Lanes(floats)) {
    const auto words = hn::PromoteTo(Words(), hn::LoadU(Halves(), source + i));
    hn::StoreU(hn::BitCast(floats, hn::ShiftLeft<16>(words)), floats, target + i);
  }
}

void clamp_below_at_zero(const float* source, float* target) {
  const Floats floats;
  const auto zero = hn::Zero(floats);
  for (size_t i = 0; i < kTileElements; i += hn::Lanes(floats)) {
    const auto value = hn::LoadU(floats, source + i);
    hn::StoreU(hn::IfThenElse(hn::Lt(value, zero), zero, value), floats, target + i);
  }
}

// The modes 2 and 3 of Services::pack_relu. Mode 2 makes zero of all values up to the threshold;
// mode 3 clamps values between zero and the threshold.
void clamp_by_threshold(uint32_t config, const float* source, float* target) {
  const Floats floats;
  const auto zero = hn::Zero(floats);
  const auto threshold = hn::BitCast(floats, hn::Set(Words(), config & 0xffff0000));
  const bool keeps_large = (config & 0xffff) == 2;
  for (size_t i = 0; i < kTileElements; i += hn::Lanes(floats)) {
    const auto value = hn::LoadU(floats, source + i);
    const auto above = hn::IfThenElse(hn::Le(value, threshold), zero, value);
    const auto below = hn::IfThenElse(hn::Lt(value, zero), zero,
                                      hn::IfThenElse(hn::Gt(value, threshold), threshold, value));
    hn::StoreU(keeps_large ? above : below, floats, target + i);
  }
}

// Tf32 is the upper 19 bits of a float; reading drops the other bits.
void unpack_tf32(const float* source, float* target) {
  const Floats floats;
  for (size_t i = 0; i < kTileElements; i += hn::Lanes(floats)) {
    const auto bits = hn::BitCast(Words(), hn::LoadU(floats, source + i));
    const auto kept = hn::And(bits, hn::Set(Words(), 0xffffe000));
    hn::StoreU(hn::BitCast(floats, kept), floats, target + i);
  }
}

void pack_tf32(const float* source, float* target) {
  const Floats floats;
  const Words words;
  for (size_t i = 0; i < kTileElements; i += hn::Lanes(floats)) {
    const auto value = hn::LoadU(floats, source + i);
    const auto bits = hn::BitCast(words, value);
    const auto odd = hn::And(hn::ShiftRight<13>(bits), hn::Set(words, 1));
    const auto rounded = hn::Add(bits, hn::Add(odd, hn::Set(words, 0xfff)));
    const auto nan = hn::Or(bits, hn::Set(words, 0x400000));
    const auto result = hn::IfThenElse(hn::RebindMask(words, hn::IsNaN(value)), nan, rounded);
    hn::StoreU(hn::BitCast(floats, hn::And(result, hn::Set(words, 0xffffe000))), floats,
               target + i);
  }
}

// Rounds a float to a bfloat16, which is the upper half of the result: adds half of the lowest bit
// that stays, and a little less when that bit is even.
HWY_INLINE hn::Vec<Words> rounded(hn::Vec<Floats> value) {
  const auto bits = hn::BitCast(Words(), value);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(Words(), 1));
  return hn::Add(bits, hn::Add(odd, hn::Set(Words(), 0x7fff)));
}

// The same; a NaN, whose mantissa the sum could turn into that of an infinity, stays a NaN.
HWY_INLINE hn::Vec<Words> rounded_or_nan(hn::Vec<Floats> value) {
  const auto nan = hn::Or(hn::BitCast(Words(), value), hn::Set(Words(), 0x400000));
  return hn::IfThenElse(hn::RebindMask(Words(), hn::IsNaN(value)), nan, rounded(value));
}

HWY_INLINE void store_upper_halves(hn::Vec<Words> first, hn::Vec<Words> second, uint16_t* target) {
#if HWY_TARGET == HWY_SCALAR
  target[0] = static_cast<uint16_t>(hn::GetLane(first) >> 16);
  target[1] = static_cast<uint16_t>(hn::GetLane(second) >> 16);
#else
  const hn::Repartition<uint16_t, Floats> halves;
  hn::StoreU(hn::ConcatOdd(halves, hn::BitCast(halves, second), hn::BitCast(halves, first)), halves,
             target);
#endif
}

void pack_bfloat16(const float* source, uint16_t* target) {
  const Floats floats;
  for (size_t i = 0; i < kTileElements; i += 2 * hn::Lanes(floats)) {
    const auto first = hn::LoadU(floats, source + i);
    const auto second = hn::LoadU(floats, source + i + hn::Lanes(floats));
    const auto has_nan = hn::Or(hn::IsNaN(first), hn::IsNaN(second));
    if (hn::AllFalse(floats, has_nan)) {
      store_upper_halves(rounded(first), rounded(second), target + i);
    } else {
      store_upper_halves(rounded_or_nan(first), rounded_or_nan(second), target + i);
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lightmetal::device::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lightmetal::device::cpu {
namespace {

HWY_EXPORT(unpack_bfloat16);
HWY_EXPORT(clamp_below_at_zero);
HWY_EXPORT(clamp_by_threshold);
HWY_EXPORT(unpack_tf32);
HWY_EXPORT(pack_tf32);
HWY_EXPORT(pack_bfloat16);

template <typename T>
bool pack_integers_as(const float* source, void* target) {
  T values[kTileElements];
  for (uint32_t i = 0; i < kTileElements; ++i) {
    uint32_t bits;
    std::memcpy(&bits, source + i, sizeof(bits));
    values[i] = static_cast<T>(bits);
    if (static_cast<uint32_t>(values[i]) != bits) return false;
  }
  std::memcpy(target, values, sizeof(values));
  return true;
}

template <typename T>
void unpack_integers_as(const void* source, float* target) {
  T values[kTileElements];
  std::memcpy(values, source, sizeof(values));
  for (uint32_t i = 0; i < kTileElements; ++i) {
    const auto bits = static_cast<uint32_t>(values[i]);
    std::memcpy(target + i, &bits, sizeof(bits));
  }
}

}  // namespace

bool is_float_format(DataFormat format) {
  switch (format) {
    case DataFormat::Float32:
    case DataFormat::Float16:
    case DataFormat::Float16_b:
    case DataFormat::Tf32:
    case DataFormat::Bfp8_b:
    case DataFormat::Bfp4_b:
    case DataFormat::Bfp2_b:
    case DataFormat::Bfp8:
    case DataFormat::Bfp4:
    case DataFormat::Bfp2:
      return true;
    default:
      return false;
  }
}

bool is_integer_format(DataFormat format) {
  switch (format) {
    case DataFormat::Int32:
    case DataFormat::UInt32:
    case DataFormat::RawUInt32:
    case DataFormat::UInt16:
    case DataFormat::RawUInt16:
    case DataFormat::Int8:
    case DataFormat::UInt8:
    case DataFormat::RawUInt8:
      return true;
    default:
      return false;
  }
}

void unpack_floats(DataFormat format, const void* source, float* target) {
  switch (format) {
    case DataFormat::Float16_b:
      return HWY_DYNAMIC_DISPATCH(unpack_bfloat16)(static_cast<const uint16_t*>(source), target);
    case DataFormat::Float16:
      return unpack_float16(static_cast<const uint16_t*>(source), target);
    case DataFormat::Tf32:
      return HWY_DYNAMIC_DISPATCH(unpack_tf32)(static_cast<const float*>(source), target);
    case DataFormat::Bfp8_b:
      return unpack_block_floats(7, false, static_cast<const uint8_t*>(source), target);
    case DataFormat::Bfp8:
      return unpack_block_floats(7, true, static_cast<const uint8_t*>(source), target);
    case DataFormat::Bfp4_b:
      return unpack_block_floats(3, false, static_cast<const uint8_t*>(source), target);
    case DataFormat::Bfp4:
      return unpack_block_floats(3, true, static_cast<const uint8_t*>(source), target);
    case DataFormat::Bfp2_b:
      return unpack_block_floats(1, false, static_cast<const uint8_t*>(source), target);
    case DataFormat::Bfp2:
      return unpack_block_floats(1, true, static_cast<const uint8_t*>(source), target);
    default:
      std::memcpy(target, source, kTileElements * sizeof(float));
  }
}

void pack_floats(DataFormat format, const float* source, bool relu, void* target) {
  alignas(64) float clamped[kTileElements];
  if (relu) {
    HWY_DYNAMIC_DISPATCH(clamp_below_at_zero)(source, clamped);
    source = clamped;
  }
  switch (format) {
    case DataFormat::Float16_b:
      return HWY_DYNAMIC_DISPATCH(pack_bfloat16)(source, static_cast<uint16_t*>(target));
    case DataFormat::Float16:
      return pack_float16(source, static_cast<uint16_t*>(target));
    case DataFormat::Tf32:
      return HWY_DYNAMIC_DISPATCH(pack_tf32)(source, static_cast<float*>(target));
    case DataFormat::Bfp8_b:
      return pack_block_floats(7, false, source, static_cast<uint8_t*>(target));
    case DataFormat::Bfp8:
      return pack_block_floats(7, true, source, static_cast<uint8_t*>(target));
    case DataFormat::Bfp4_b:
      return pack_block_floats(3, false, source, static_cast<uint8_t*>(target));
    case DataFormat::Bfp4:
      return pack_block_floats(3, true, source, static_cast<uint8_t*>(target));
    case DataFormat::Bfp2_b:
      return pack_block_floats(1, false, source, static_cast<uint8_t*>(target));
    case DataFormat::Bfp2:
      return pack_block_floats(1, true, source, static_cast<uint8_t*>(target));
    default:
      std::memcpy(target, source, kTileElements * sizeof(float));
  }
}

void clamp_floats(uint32_t config, const float* source, float* target) {
  if ((config & 0xffff) == 1) {
    HWY_DYNAMIC_DISPATCH(clamp_below_at_zero)(source, target);
  } else {
    HWY_DYNAMIC_DISPATCH(clamp_by_threshold)(config, source, target);
  }
}

void unpack_integers(DataFormat format, const void* source, float* target) {
  if (format == DataFormat::Int8) return unpack_integers_as<int8_t>(source, target);
  switch (tile_bytes(format, 1)) {
    case 1:
      return unpack_integers_as<uint8_t>(source, target);
    case 2:
      return unpack_integers_as<uint16_t>(source, target);
    default:
      std::memcpy(target, source, kTileElements * sizeof(uint32_t));
  }
}

bool pack_integers(DataFormat format, const float* source, void* target) {
  if (format == DataFormat::Int8) return pack_integers_as<int8_t>(source, target);
  switch (tile_bytes(format, 1)) {
    case 1:
      return pack_integers_as<uint8_t>(source, target);
    case 2:
      return pack_integers_as<uint16_t>(source, target);
    default:
      std::memcpy(target, source, kTileElements * sizeof(uint32_t));
      return true;
  }
}

}  // namespace lightmetal::device::cpu
#endif  // HWY_ONCE
