#include "device/cpu/sfpu/typecast.h"

#include <bit>
#include <cmath>

#include "device/cpu/tiles/arithmetic.h"

namespace lightmetal::device::cpu {
namespace {

struct Range {
  double least, most;
};

Range range_of(DataFormat format) {
  switch (format) {
    case DataFormat::Int32:
      return {-2147483648.0, 2147483647.0};
    case DataFormat::UInt16:
      return {0, 65535};
    case DataFormat::UInt8:
      return {0, 255};
    case DataFormat::Int8:
      return {-128, 127};
    default:
      return {0, 4294967295.0};
  }
}

uint32_t low_bits(DataFormat format) {
  if (format == DataFormat::UInt16) return 0xffff;
  return format == DataFormat::UInt8 || format == DataFormat::Int8 ? 0xff : 0xffffffff;
}

// A number as an element of DST has it: kernels have Int8 in circular buffers of UInt8, so its byte
// comes without its sign.
uint32_t extended(DataFormat from, uint32_t value) {
  return from == DataFormat::Int8 ? static_cast<uint32_t>(static_cast<int8_t>(value)) : value;
}

float rounded_to_bfloat16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return std::bit_cast<float>((bits | 0x00400000u) & 0xffff0000u);
  return std::bit_cast<float>((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000u);
}

float rounded_to(DataFormat format, float value) {
  return format == DataFormat::Float16_b ? rounded_to_bfloat16(value) : value;
}

// Rounds by packing to the format itself and unpacking again.
void round_to_float16(float* tile) {
  uint16_t halves[kTileElements];
  pack_floats(DataFormat::Float16, tile, false, halves);
  unpack_floats(DataFormat::Float16, halves, tile);
}

void round_tile(DataFormat to, float* tile) {
  if (to == DataFormat::Float16) return round_to_float16(tile);
  for (uint32_t i = 0; i < kTileElements; ++i) tile[i] = rounded_to(to, tile[i]);
}

uint32_t to_integer(float value, Range range) {
  if (std::isnan(value)) return 0;
  const double bounded = std::fmax(range.least, std::fmin(range.most, std::trunc(double{value})));
  return static_cast<uint32_t>(static_cast<int64_t>(bounded));
}

float to_float(DataFormat from, uint32_t value) {
  const bool is_signed = from == DataFormat::Int32 || from == DataFormat::Int8;
  return is_signed ? static_cast<float>(static_cast<int32_t>(value)) : static_cast<float>(value);
}

}  // namespace

bool can_typecast(DataFormat format) {
  switch (format) {
    case DataFormat::Float32:
    case DataFormat::Tf32:
    case DataFormat::Float16:
    case DataFormat::Float16_b:
    case DataFormat::Bfp8_b:
    case DataFormat::Bfp4_b:
    case DataFormat::Int32:
    case DataFormat::UInt32:
    case DataFormat::UInt16:
    case DataFormat::UInt8:
    case DataFormat::Int8:
      return true;
    default:
      return false;
  }
}

void typecast(DataFormat from, DataFormat to, uint32_t* tile) {
  float* floats = reinterpret_cast<float*>(tile);
  if (!is_integer_format(from) && !is_integer_format(to)) return round_tile(to, floats);
  if (is_integer_format(from) && is_integer_format(to)) {
    for (uint32_t i = 0; i < kTileElements; ++i) tile[i] = extended(from, tile[i]) & low_bits(to);
  } else if (is_integer_format(to)) {
    const Range range = range_of(to);
    for (uint32_t i = 0; i < kTileElements; ++i) {
      tile[i] = to_integer(floats[i], range) & low_bits(to);
    }
  } else {
    for (uint32_t i = 0; i < kTileElements; ++i)
      floats[i] = to_float(from, extended(from, tile[i]));
    round_tile(to, floats);
  }
}

}  // namespace lightmetal::device::cpu
