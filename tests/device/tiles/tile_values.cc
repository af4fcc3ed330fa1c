#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "tests/device/tiles/tile_program.h"

// The test's own conversions between numbers and data formats.
namespace lightmetal::device::testing {
namespace {

constexpr uint32_t kRow = 16;  // elements that share an exponent

// A float format with a sign: its bits of exponent and mantissa.
struct FloatFormat {
  int exponent_bits;
  int mantissa_bits;
  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  uint32_t infinity() const { return ((1u << exponent_bits) - 1) << mantissa_bits; }
};

// To nearest, ties to even, denormals kept: by scaling so that the last kept bit is one.
uint32_t encode_float(double value, const FloatFormat& format) {
  const uint32_t sign = (std::signbit(value) ? 1u : 0u)
                        << (format.exponent_bits + format.mantissa_bits);
  const double magnitude = std::abs(value);
  if (std::isnan(value)) return sign | format.infinity() | 1u << (format.mantissa_bits - 1);
  if (std::isinf(value)) return sign | format.infinity();
  if (magnitude == 0) return sign;
  const int exponent = std::max(std::ilogb(magnitude), 1 - format.bias());
  const double scaled = std::nearbyint(std::ldexp(magnitude, format.mantissa_bits - exponent));
  const double hidden = std::ldexp(1.0, format.mantissa_bits);
  const double bits = scaled + hidden * (exponent + format.bias() - 1);
  return sign | static_cast<uint32_t>(std::min<double>(bits, format.infinity()));
}

double decode_float(uint32_t bits, const FloatFormat& format) {
  const uint32_t mantissa = bits & ((1u << format.mantissa_bits) - 1);
  const int exponent =
      static_cast<int>(bits >> format.mantissa_bits & ((1u << format.exponent_bits) - 1));
  const bool negative = (bits >> (format.exponent_bits + format.mantissa_bits) & 1) != 0;
  double value = std::ldexp(mantissa + (exponent == 0 ? 0.0 : std::ldexp(1, format.mantissa_bits)),
                            std::max(exponent, 1) - format.bias() - format.mantissa_bits);
  if (exponent == (1 << format.exponent_bits) - 1) {
    value = mantissa == 0 ? std::numeric_limits<double>::infinity()
                          : std::numeric_limits<double>::quiet_NaN();
  }
  return negative ? -value : value;
}

struct BlockFormat {
  int magnitude_bits;  // 0: not a block format
  bool short_exponent;
  int lowest_exponent() const { return short_exponent ? 127 - 15 : 0; }
  int highest_exponent() const { return short_exponent ? 127 + 16 : 255; }
};

BlockFormat block_format(DataFormat format) {
  switch (format) {
    case DataFormat::Bfp8_b:
      return {7, false};
    case DataFormat::Bfp4_b:
      return {3, false};
    case DataFormat::Bfp2_b:
      return {1, false};
    case DataFormat::Bfp8:
      return {7, true};
    case DataFormat::Bfp4:
      return {3, true};
    case DataFormat::Bfp2:
      return {1, true};
    default:
      return {0, false};
  }
}

int exponent_field(float value) {
  return static_cast<int>(std::bit_cast<uint32_t>(value) >> 23 & 255);
}

std::vector<std::byte> encode_block(const BlockFormat& format, const Tile& tile, Ties ties) {
  const uint32_t width = static_cast<uint32_t>(format.magnitude_bits) + 1;
  const auto elements = static_cast<uint32_t>(tile.size());
  const uint32_t rows = elements / kRow;
  std::vector<std::byte> bytes(rows + elements * width / 8);
  const double largest = (1 << format.magnitude_bits) - 1;
  for (uint32_t row = 0; row < rows; ++row) {
    int shared = 0;
    for (uint32_t i = row * kRow; i < (row + 1) * kRow; ++i)
      shared = std::max(shared, exponent_field(tile[i]));
    shared = std::clamp(shared, format.lowest_exponent(), format.highest_exponent());
    bytes[row] = static_cast<std::byte>(shared - format.lowest_exponent());
    const double unit = std::ldexp(1.0, shared - 127 - (format.magnitude_bits - 1));
    for (uint32_t i = row * kRow; i < (row + 1) * kRow; ++i) {
      // Infinities and NaN count as the numbers that their bits would be with a larger exponent.
      const uint32_t mantissa = (std::bit_cast<uint32_t>(tile[i]) & 0x7fffff) | 0x800000;
      const int exponent = exponent_field(tile[i]);
      const double value = exponent == 0 ? 0 : std::ldexp(mantissa, exponent - 127 - 23);
      const double units = value / unit;
      const double rounded = ties == Ties::kUp ? std::floor(units + 0.5) : std::nearbyint(units);
      const double magnitude = std::min(rounded, largest);
      const uint32_t sign = magnitude != 0 && std::signbit(tile[i]) ? 1 : 0;
      const uint32_t element = sign << format.magnitude_bits | static_cast<uint32_t>(magnitude);
      bytes[rows + i * width / 8] |= static_cast<std::byte>(element << i * width % 8);
    }
  }
  return bytes;
}

Tile decode_block(const BlockFormat& format, const std::vector<std::byte>& bytes) {
  const uint32_t width = static_cast<uint32_t>(format.magnitude_bits) + 1;
  const auto elements = static_cast<uint32_t>(bytes.size() * kRow / (1 + kRow * width / 8));
  const uint32_t rows = elements / kRow;
  Tile tile(elements);
  for (uint32_t i = 0; i < elements; ++i) {
    const uint32_t element = static_cast<uint32_t>(bytes[rows + i * width / 8]) >> i * width % 8;
    const int shared = static_cast<int>(bytes[i / kRow]) + format.lowest_exponent();
    const double value = std::ldexp(element & ((1u << format.magnitude_bits) - 1),
                                    shared - 127 - (format.magnitude_bits - 1));
    tile[i] = static_cast<float>((element >> format.magnitude_bits & 1) != 0 ? -value : value);
  }
  return tile;
}

FloatFormat float_format(DataFormat format) {
  switch (format) {
    case DataFormat::Float16_b:
      return {8, 7};
    case DataFormat::Float16:
      return {5, 10};
    case DataFormat::Tf32:
      return {8, 10};
    case DataFormat::Float32:
      return {8, 23};
    default:
      return {0, 0};
  }
}

uint32_t element_bytes(DataFormat format) { return tile_bytes(format) / kTileElements; }

// Tf32 and Float32 lie in 32 bits.
uint32_t unused_bits(DataFormat format) { return format == DataFormat::Tf32 ? 13 : 0; }

uint32_t encode_integer(DataFormat format, double value) {
  const double bits = 8 * element_bytes(format);
  const bool is_signed = format == DataFormat::Int32 || format == DataFormat::Int8;
  const double low = is_signed ? -std::exp2(bits - 1) : 0;
  const double high = std::exp2(is_signed ? bits - 1 : bits) - 1;
  return static_cast<uint32_t>(static_cast<int64_t>(std::clamp(std::nearbyint(value), low, high)));
}

float decode_integer(DataFormat format, uint32_t word) {
  if (format == DataFormat::Int32) return static_cast<float>(static_cast<int32_t>(word));
  if (format == DataFormat::Int8) return static_cast<float>(static_cast<int8_t>(word));
  return static_cast<float>(word);
}

}  // namespace

std::vector<std::byte> encode_words(DataFormat format, const WordTile& tile) {
  const uint32_t size = element_bytes(format);
  std::vector<std::byte> bytes(tile.size() * size);
  for (size_t i = 0; i < tile.size(); ++i) std::memcpy(bytes.data() + i * size, &tile[i], size);
  return bytes;
}

WordTile decode_words(DataFormat format, const std::vector<std::byte>& bytes) {
  const uint32_t size = element_bytes(format);
  WordTile tile(bytes.size() / size, 0);
  for (size_t i = 0; i < tile.size(); ++i) std::memcpy(&tile[i], bytes.data() + i * size, size);
  return tile;
}

std::vector<std::byte> encode_tile(DataFormat format, const Tile& tile, Ties ties) {
  if (block_format(format).magnitude_bits != 0)
    return encode_block(block_format(format), tile, ties);
  const FloatFormat floats = float_format(format);
  WordTile words;
  for (float value : tile) {
    words.push_back(floats.exponent_bits == 0 ? encode_integer(format, value)
                                              : encode_float(value, floats) << unused_bits(format));
  }
  return encode_words(format, words);
}

Tile decode_tile(DataFormat format, const std::vector<std::byte>& bytes) {
  if (block_format(format).magnitude_bits != 0) return decode_block(block_format(format), bytes);
  const FloatFormat floats = float_format(format);
  Tile tile;
  for (uint32_t word : decode_words(format, bytes)) {
    tile.push_back(floats.exponent_bits == 0
                       ? decode_integer(format, word)
                       : static_cast<float>(decode_float(word >> unused_bits(format), floats)));
  }
  return tile;
}

Tile stored_as(DataFormat format, const Tile& tile) {
  return decode_tile(format, encode_tile(format, tile));
}

Tile random_tile(uint32_t seed, float low, float high, uint32_t elements) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> distribution(low, high);
  Tile tile(elements);
  for (float& value : tile) value = distribution(random);
  return tile;
}

WordTile random_words(uint32_t seed, uint32_t elements) {
  std::mt19937 random(seed);
  WordTile tile(elements);
  for (uint32_t& word : tile) word = static_cast<uint32_t>(random());
  return tile;
}

}  // namespace lightmetal::device::testing
