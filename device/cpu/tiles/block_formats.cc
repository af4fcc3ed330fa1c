#include "device/cpu/tiles/block_formats.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "device/cpu/tiles/arithmetic.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "device/cpu/tiles/block_formats.cc"
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
using Bytes = hn::Rebind<uint8_t, Floats>;

constexpr size_t kRow = 16;  // elements that share an exponent

// Sixteen elements, one to a byte, with a sign above `bits` bits of magnitude.
HWY_INLINE void decode_row(uint32_t bits, const uint8_t* elements, float unit, float* target) {
  const Floats floats;
  const Words words;
  const auto mask = hn::Set(words, (1u << bits) - 1);
  for (size_t i = 0; i < kRow; i += hn::Lanes(floats)) {
    const auto element = hn::PromoteTo(words, hn::LoadU(Bytes(), elements + i));
    const auto magnitude = hn::ConvertTo(floats, hn::BitCast(Integers(), hn::And(element, mask)));
    // The largest unit of two bits is infinite, and infinity times 0 would be NaN: 0 stays 0.
    const auto value = hn::IfThenElseZero(hn::Gt(magnitude, hn::Zero(floats)),
                                          hn::Mul(magnitude, hn::Set(floats, unit)));
    const auto sign = hn::ShiftLeft<31>(hn::ShiftRightSame(element, static_cast<int>(bits)));
    hn::StoreU(hn::BitCast(floats, hn::Or(hn::BitCast(words, value), sign)), floats, target + i);
  }
}

HWY_INLINE uint32_t largest_exponent(const float* row) {
  const Integers integers;
  auto largest = hn::Zero(integers);
  for (size_t i = 0; i < kRow; i += hn::Lanes(integers)) {
    const auto bits = hn::BitCast(integers, hn::LoadU(Floats(), row + i));
    largest = hn::Max(largest, hn::And(bits, hn::Set(integers, 0x7f800000)));
  }
  return static_cast<uint32_t>(hn::GetLane(hn::MaxOfLanes(integers, largest))) >> 23;
}

// Shifts each mantissa until its unit is that of the row; half a unit is added before the last
// shift, which rounds.
HWY_INLINE void encode_row(uint32_t bits, uint32_t shared, const float* row, uint8_t* elements) {
  const Floats floats;
  const Words words;
  const auto one = hn::Set(words, 1);
  const auto limit = hn::Set(words, (1u << bits) - 1);
  for (size_t i = 0; i < kRow; i += hn::Lanes(floats)) {
    const auto raw = hn::BitCast(words, hn::LoadU(floats, row + i));
    const auto exponent = hn::And(hn::ShiftRight<23>(raw), hn::Set(words, 255));
    const auto mantissa = hn::Or(hn::And(raw, hn::Set(words, 0x7fffff)), hn::Set(words, 0x800000));
    // For an exponent above the shared one the distance wraps around; the result is replaced below.
    const auto distance = hn::Sub(hn::Set(words, shared), exponent);
    const auto shift = hn::Add(hn::Min(distance, hn::Set(words, bits + 7)),
                               hn::Set(words, 24 - bits));  // at most 31, when nothing is left
    const auto half = hn::Shl(one, hn::Sub(shift, one));
    auto magnitude = hn::Min(hn::Shr(hn::Add(mantissa, half), shift), limit);
    magnitude = hn::IfThenElse(hn::Gt(exponent, hn::Set(words, shared)), limit, magnitude);
    magnitude = hn::IfThenZeroElse(hn::Eq(exponent, hn::Zero(words)), magnitude);
    const auto sign = hn::ShiftLeftSame(hn::ShiftRight<31>(raw), static_cast<int>(bits));
    const auto element =
        hn::IfThenZeroElse(hn::Eq(magnitude, hn::Zero(words)), hn::Or(magnitude, sign));
    hn::StoreU(hn::U8FromU32(element), Bytes(), elements + i);
  }
}

// Fields of half a byte, and of a quarter, to bytes and back: eight at a time.
HWY_INLINE uint64_t bytes_of_nibbles(uint32_t packed) {
  uint64_t x = packed;
  x = (x | x << 16) & 0x0000ffff0000ffff;
  x = (x | x << 8) & 0x00ff00ff00ff00ff;
  return (x | x << 4) & 0x0f0f0f0f0f0f0f0f;
}
HWY_INLINE uint32_t nibbles_of_bytes(uint64_t x) {
  x = (x | x >> 4) & 0x00ff00ff00ff00ff;
  x = (x | x >> 8) & 0x0000ffff0000ffff;
  return static_cast<uint32_t>(x | x >> 16);
}
HWY_INLINE uint64_t bytes_of_pairs(uint32_t packed) {
  uint32_t x = (packed | packed << 8) & 0x00ff00ff;
  x = (x | x << 4) & 0x0f0f0f0f;
  return bytes_of_nibbles((x | x << 2) & 0x33333333);
}
HWY_INLINE uint32_t pairs_of_bytes(uint64_t bytes) {
  uint32_t x = nibbles_of_bytes(bytes);
  x = (x | x >> 2) & 0x0f0f0f0f;
  x = (x | x >> 4) & 0x00ff00ff;
  return (x | x >> 8) & 0xffff;
}

template <uint32_t kBits>
HWY_INLINE void spread(const uint8_t* packed, uint8_t* bytes) {
  constexpr size_t kSize = (kBits + 1);  // bytes of eight elements
  for (size_t half = 0; half < 2; ++half) {
    uint32_t fields = 0;
    std::memcpy(&fields, packed + half * kSize, kSize);
    const uint64_t spread = kBits == 3 ? bytes_of_nibbles(fields) : bytes_of_pairs(fields);
    std::memcpy(bytes + half * 8, &spread, 8);
  }
}

template <uint32_t kBits>
HWY_INLINE void gather(const uint8_t* bytes, uint8_t* packed) {
  constexpr size_t kSize = (kBits + 1);
  for (size_t half = 0; half < 2; ++half) {
    uint64_t spread;
    std::memcpy(&spread, bytes + half * 8, 8);
    const uint32_t fields = kBits == 3 ? nibbles_of_bytes(spread) : pairs_of_bytes(spread);
    std::memcpy(packed + half * kSize, &fields, kSize);
  }
}

template <uint32_t kBits>
HWY_INLINE void unpack(const float* units, const uint8_t* source, float* target) {
  constexpr size_t kRowBytes = kRow * (kBits + 1) / 8;
  const uint8_t* elements = source + kTileElements / kRow;
  for (size_t row = 0; row < kTileElements / kRow; ++row) {
    alignas(16) uint8_t bytes[kRow];
    const uint8_t* fields = elements + row * kRowBytes;
    if constexpr (kBits != 7) {
      spread<kBits>(fields, bytes);
      fields = bytes;
    }
    decode_row(kBits, fields, units[source[row]], target + row * kRow);
  }
}

template <uint32_t kBits>
HWY_INLINE void pack(uint32_t lowest, uint32_t highest, const float* source, uint8_t* target) {
  constexpr size_t kRowBytes = kRow * (kBits + 1) / 8;
  uint8_t* elements = target + kTileElements / kRow;
  for (size_t row = 0; row < kTileElements / kRow; ++row) {
    alignas(16) uint8_t bytes[kRow];
    const float* values = source + row * kRow;
    const uint32_t shared = std::clamp(largest_exponent(values), lowest, highest);
    target[row] = static_cast<uint8_t>(shared - lowest);
    encode_row(kBits, shared, values, kBits == 7 ? elements + row * kRowBytes : bytes);
    if constexpr (kBits != 7) gather<kBits>(bytes, elements + row * kRowBytes);
  }
}

void unpack_tile(uint32_t bits, const float* units, const uint8_t* source, float* target) {
  if (bits == 7) return unpack<7>(units, source, target);
  if (bits == 3) return unpack<3>(units, source, target);
  return unpack<1>(units, source, target);
}

void pack_tile(uint32_t bits, uint32_t lowest, uint32_t highest, const float* source,
               uint8_t* target) {
  if (bits == 7) return pack<7>(lowest, highest, source, target);
  if (bits == 3) return pack<3>(lowest, highest, source, target);
  return pack<1>(lowest, highest, source, target);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lightmetal::device::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lightmetal::device::cpu {
namespace {

HWY_EXPORT(unpack_tile);
HWY_EXPORT(pack_tile);

constexpr uint32_t kShortBias = 127 - 15;  // the IEEE exponent that a short one of 0 stands for

// 2^exponent, also where it is not a normal float. REQUIRES: -149 <= exponent < 128.
constexpr float power_of_two(int exponent) {
  if (exponent >= -126) return std::bit_cast<float>(static_cast<uint32_t>(exponent + 127) << 23);
  return std::bit_cast<float>(uint32_t{1} << (exponent + 149));
}

// What a magnitude of one stands for, for each byte that may be a row's exponent.
struct Units {
  constexpr Units(uint32_t bits, bool short_exponents) : values() {
    for (uint32_t byte = 0; byte < 256; ++byte) {
      const uint32_t exponent = short_exponents ? (byte & 31) + kShortBias : byte;
      values[byte] = power_of_two(static_cast<int>(exponent) - 127 - static_cast<int>(bits - 1));
    }
  }
  float values[256];
};

const float* units_of(uint32_t bits, bool short_exponents) {
  static constexpr Units kUnits[][2] = {
      {{7, false}, {7, true}}, {{3, false}, {3, true}}, {{1, false}, {1, true}}};
  return kUnits[bits == 7 ? 0 : bits == 3 ? 1 : 2][short_exponents ? 1 : 0].values;
}

}  // namespace

void unpack_block_floats(uint32_t bits, bool short_exponents, const uint8_t* source,
                         float* target) {
  HWY_DYNAMIC_DISPATCH(unpack_tile)(bits, units_of(bits, short_exponents), source, target);
}

void pack_block_floats(uint32_t bits, bool short_exponents, const float* source, uint8_t* target) {
  const uint32_t lowest = short_exponents ? kShortBias : 0;
  const uint32_t highest = short_exponents ? kShortBias + 31 : 255;
  HWY_DYNAMIC_DISPATCH(pack_tile)(bits, lowest, highest, source, target);
}

}  // namespace lightmetal::device::cpu
#endif  // HWY_ONCE
