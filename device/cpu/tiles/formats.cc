#include <cstddef>
#include <cstdint>
#include <cstring>

#include "device/cpu/tiles/arithmetic.h"
#include "device/cpu/tiles/block_formats.h"

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
using Integers = hn::RebindToSigned<Floats>;
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

// Adds half of the lowest bit that stays, a little less when that bit is even. A NaN stays one.
void pack_bfloat16(const float* source, uint16_t* target) {
  const Floats floats;
  const Words words;
  for (size_t i = 0; i < kTileElements; i += hn::Lanes(floats)) {
    const auto value = hn::LoadU(floats, source + i);
    const auto bits = hn::BitCast(words, value);
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(words, 1));
    const auto rounded = hn::ShiftRight<16>(hn::Add(bits, hn::Add(odd, hn::Set(words, 0x7fff))));
    const auto nan = hn::Or(hn::ShiftRight<16>(bits), hn::Set(words, 0x40));
    const auto result = hn::IfThenElse(hn::RebindMask(words, hn::IsNaN(value)), nan, rounded);
    hn::StoreU(hn::DemoteTo(Halves(), hn::BitCast(Integers(), result)), Halves(), target + i);
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
HWY_EXPORT(pack_bfloat16);

template <typename T>
bool pack_integers_as(const float* source, void* target) {
  T values[kTileElements];
  for (uint32_t i = 0; i < kTileElements; ++i) {
    uint32_t bits;
    std::memcpy(&bits, source + i, sizeof(bits));
    values[i] = static_cast<T>(bits);
    if (values[i] != bits) return false;
  }
  std::memcpy(target, values, sizeof(values));
  return true;
}

template <typename T>
void unpack_integers_as(const void* source, float* target) {
  T values[kTileElements];
  std::memcpy(values, source, sizeof(values));
  for (uint32_t i = 0; i < kTileElements; ++i) {
    const uint32_t bits = values[i];
    std::memcpy(target + i, &bits, sizeof(bits));
  }
}

}  // namespace

bool is_float_format(DataFormat format) {
  switch (format) {
    case DataFormat::Float32:
    case DataFormat::Float16:
    case DataFormat::Float16_b:
    case DataFormat::Bfp8_b:
    case DataFormat::Bfp4_b:
    case DataFormat::Bfp2_b:
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
    case DataFormat::Bfp8_b:
      return unpack_block_floats(7, static_cast<const uint8_t*>(source), target);
    case DataFormat::Bfp4_b:
      return unpack_block_floats(3, static_cast<const uint8_t*>(source), target);
    case DataFormat::Bfp2_b:
      return unpack_block_floats(1, static_cast<const uint8_t*>(source), target);
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
    case DataFormat::Bfp8_b:
      return pack_block_floats(7, source, static_cast<uint8_t*>(target));
    case DataFormat::Bfp4_b:
      return pack_block_floats(3, source, static_cast<uint8_t*>(target));
    case DataFormat::Bfp2_b:
      return pack_block_floats(1, source, static_cast<uint8_t*>(target));
    default:
      std::memcpy(target, source, kTileElements * sizeof(float));
  }
}

void unpack_integers(DataFormat format, const void* source, float* target) {
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
