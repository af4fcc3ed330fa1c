#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/blockfloat_common.hpp>
#include <tt-metalium/layout_conversion.hpp>

#include "api/src/values/random_floats.h"

namespace tt::tt_metal::blockfloat {
namespace {

constexpr uint32_t kRow = 16;  // elements that share an exponent

struct Format {
  uint32_t bits;  // of an element
  bool is_exp_a;

  uint32_t magnitude_bits() const { return bits - 1; }
  uint32_t largest_magnitude() const { return (1u << magnitude_bits()) - 1; }
  // The IEEE exponent that is stored as 0.
  uint32_t lowest_exponent() const { return is_exp_a ? 127 - 15 : 0; }
  uint32_t highest_exponent() const { return is_exp_a ? 127 - 15 + 31 : 255; }
};

uint32_t exponent_of(float value) { return std::bit_cast<uint32_t>(value) >> 23 & 0xFF; }

uint32_t shared_exponent(const float* row, const Format& format) {
  uint32_t largest = 0;
  for (uint32_t i = 0; i < kRow; ++i) largest = std::max(largest, exponent_of(row[i]));
  return std::clamp(largest, format.lowest_exponent(), format.highest_exponent());
}

uint32_t rounded_magnitude(float value, uint32_t shared, const Format& format,
                           bool truncate = false) {
  const uint32_t exponent = exponent_of(value);
  if (exponent == 0) return 0;  // denormals are flushed
  if (exponent > shared) return format.largest_magnitude();
  const uint64_t mantissa = (std::bit_cast<uint32_t>(value) & 0x7FFFFF) | 0x800000;
  // A float's mantissa has 24 bits with its leading one. What falls off is the difference in width
  // and in exponents.
  const uint32_t shift = 24 - format.magnitude_bits() + shared - exponent;
  if (shift > 32) return 0;
  // A tie goes to the even magnitude.
  const uint64_t is_odd = mantissa >> shift & 1;
  const uint64_t added = truncate ? 0 : (uint64_t{1} << (shift - 1)) - 1 + is_odd;
  const uint64_t rounded = (mantissa + added) >> shift;
  return static_cast<uint32_t>(std::min<uint64_t>(rounded, format.largest_magnitude()));
}

uint32_t encode(float value, uint32_t shared, const Format& format, bool truncate = false) {
  const uint32_t magnitude = rounded_magnitude(value, shared, format, truncate);
  // There is no negative zero.
  const bool negative = magnitude != 0 && std::signbit(value);
  return static_cast<uint32_t>(negative) << format.magnitude_bits() | magnitude;
}

float decode(uint32_t element, uint32_t shared, const Format& format) {
  const uint32_t magnitude = element & format.largest_magnitude();
  const int exponent =
      static_cast<int>(shared) - 127 - static_cast<int>(format.magnitude_bits() - 1);
  const float value = std::ldexp(static_cast<float>(magnitude), exponent);
  return element >> format.magnitude_bits() != 0 && magnitude != 0 ? -value : value;
}

struct TileLayout {
  TileLayout(const Tile& tile, uint32_t bits)
      : elements(tile.get_tile_hw()), rows(elements / kRow), bytes(rows + elements * bits / 8) {
    TT_FATAL(bits == 8 || bits == 4 || bits == 2,
             "Block floating point has 8, 4 or 2 bits for an element and not {}", bits);
    TT_FATAL(bytes % sizeof(uint32_t) == 0, "A tile of {} bytes does not fill words", bytes);
  }

  std::size_t elements;
  std::size_t rows;
  std::size_t bytes;
};

void pack_tile(const float* values, const TileLayout& layout, const Format& format, uint8_t* tile) {
  uint8_t* elements = tile + layout.rows;
  for (std::size_t row = 0; row < layout.rows; ++row) {
    const uint32_t shared = shared_exponent(values + row * kRow, format);
    tile[row] = static_cast<uint8_t>(shared - format.lowest_exponent());
    for (std::size_t i = row * kRow; i < (row + 1) * kRow; ++i) {
      const std::size_t bit = i * format.bits;
      elements[bit / 8] |= static_cast<uint8_t>(encode(values[i], shared, format) << bit % 8);
    }
  }
}

void unpack_tile(const uint8_t* tile, const TileLayout& layout, const Format& format,
                 float* values) {
  const uint8_t* elements = tile + layout.rows;
  for (std::size_t i = 0; i < layout.elements; ++i) {
    const std::size_t bit = i * format.bits;
    const uint32_t element = elements[bit / 8] >> bit % 8 & ((1u << format.bits) - 1);
    values[i] = decode(element, tile[i / kRow] + format.lowest_exponent(), format);
  }
}

std::vector<float> convert(const std::vector<float>& values, const Tile& tile,
                           TensorLayoutType from, TensorLayoutType to) {
  return convert_layout(values, tile.get_tile_shape(), from, to, tile.get_tile_shape(),
                        tile.get_face_shape());
}

std::size_t elements_in(std::size_t num_bytes, uint32_t bits) {
  const TileLayout layout(Tile(), bits);
  TT_FATAL(num_bytes % layout.bytes == 0, "{} bytes are not whole tiles of {} bytes", num_bytes,
           layout.bytes);
  return num_bytes / layout.bytes * layout.elements;
}

}  // namespace

uint32_t element_bits(tt::DataFormat format) {
  switch (format) {
    case tt::DataFormat::Bfp8:
    case tt::DataFormat::Bfp8_b:
      return 8;
    case tt::DataFormat::Bfp4:
    case tt::DataFormat::Bfp4_b:
      return 4;
    case tt::DataFormat::Bfp2:
    case tt::DataFormat::Bfp2_b:
      return 2;
    default:
      TT_THROW("{} is no block floating point", format);
  }
}

std::vector<uint32_t> pack(tt::stl::Span<const float> values, uint32_t bits, bool row_major,
                           bool is_exp_a, const std::optional<Tile>& tile) {
  const Tile shape = tile.value_or(Tile());
  const TileLayout layout(shape, bits);
  TT_FATAL(values.size() % layout.elements == 0, "{} values are not whole tiles of {}",
           values.size(), layout.elements);
  std::vector<float> faces(values.begin(), values.end());
  if (row_major && !faces.empty()) {
    faces = convert(faces, shape, TensorLayoutType::TILED_SWIZZLED, TensorLayoutType::TILED_NFACES);
  }
  const std::size_t num_tiles = faces.size() / layout.elements;
  std::vector<uint8_t> bytes(num_tiles * layout.bytes, 0);
  for (std::size_t i = 0; i < num_tiles; ++i) {
    pack_tile(faces.data() + i * layout.elements, layout, {bits, is_exp_a},
              bytes.data() + i * layout.bytes);
  }
  std::vector<uint32_t> words(bytes.size() / sizeof(uint32_t));
  if (!words.empty()) std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

std::vector<float> unpack(tt::stl::Span<const uint32_t> tiles, uint32_t bits, bool row_major,
                          bool is_exp_a, const std::optional<Tile>& tile) {
  const Tile shape = tile.value_or(Tile());
  const TileLayout layout(shape, bits);
  TT_FATAL(tiles.size_bytes() % layout.bytes == 0, "{} bytes are not whole tiles of {} bytes",
           tiles.size_bytes(), layout.bytes);
  const std::size_t num_tiles = tiles.size_bytes() / layout.bytes;
  const auto* bytes = reinterpret_cast<const uint8_t*>(tiles.data());
  std::vector<float> values(num_tiles * layout.elements);
  for (std::size_t i = 0; i < num_tiles; ++i) {
    unpack_tile(bytes + i * layout.bytes, layout, {bits, is_exp_a},
                values.data() + i * layout.elements);
  }
  if (!row_major || values.empty()) return values;
  return convert(values, shape, TensorLayoutType::TILED_NFACES, TensorLayoutType::TILED_SWIZZLED);
}

std::vector<uint32_t> random_tiles(std::size_t num_bytes, uint32_t bits, bool is_exp_a,
                                   float rand_max_float, int seed, float offset) {
  RandomFloats floats(rand_max_float, seed);
  std::vector<float> values(elements_in(num_bytes, bits));
  for (float& value : values) value = floats() + offset;
  return pack(values, bits, true, is_exp_a);
}

std::vector<uint32_t> constant_tiles(std::size_t num_bytes, uint32_t bits, float value,
                                     bool is_exp_a) {
  return pack(std::vector<float>(elements_in(num_bytes, bits), value), bits, true, is_exp_a);
}

}  // namespace tt::tt_metal::blockfloat

uint8_t convert_u32_to_bfp(tt::DataFormat bfp_format, uint32_t input, uint32_t shared_exp,
                           bool is_exp_a, bool truncate_bfp_mantissa) {
  using namespace tt::tt_metal::blockfloat;
  const Format format{element_bits(bfp_format), is_exp_a};
  return static_cast<uint8_t>(encode(std::bit_cast<float>(input),
                                     shared_exp + format.lowest_exponent(), format,
                                     truncate_bfp_mantissa));
}

uint32_t convert_bfp_to_u32(tt::DataFormat bfp_format, uint8_t data, uint8_t shared_exp,
                            bool is_exp_a) {
  using namespace tt::tt_metal::blockfloat;
  const Format format{element_bits(bfp_format), is_exp_a};
  return std::bit_cast<uint32_t>(decode(data, shared_exp + format.lowest_exponent(), format));
}

uint8_t get_max_exp(const std::vector<uint32_t>& values, bool is_exp_a) {
  const tt::tt_metal::blockfloat::Format format{8, is_exp_a};
  uint32_t largest = 0;
  for (const uint32_t value : values) largest = std::max(largest, value >> 23 & 0xFF);
  return static_cast<uint8_t>(
      std::clamp(largest, format.lowest_exponent(), format.highest_exponent()) -
      format.lowest_exponent());
}

uint32_t get_exp_dword(const std::vector<uint8_t>& exponents) {
  TT_FATAL(exponents.size() <= sizeof(uint32_t), "{} exponents do not go into a word",
           exponents.size());
  uint32_t word = 0;
  for (std::size_t i = 0; i < exponents.size(); ++i) word |= uint32_t{exponents[i]} << 8 * i;
  return word;
}

std::vector<uint32_t> pack_exponents(const std::vector<uint8_t>& exponents,
                                     std::size_t num_elements_in_dword) {
  TT_FATAL(num_elements_in_dword != 0 && exponents.size() % num_elements_in_dword == 0,
           "{} exponents do not fill words of {}", exponents.size(), num_elements_in_dword);
  std::vector<uint32_t> words;
  for (auto next = exponents.begin(); next != exponents.end(); next += num_elements_in_dword)
    words.push_back(get_exp_dword({next, next + num_elements_in_dword}));
  return words;
}

uint32_t create_packed_bfp_packed_as_u32(tt::DataFormat bfp_format,
                                         const std::vector<uint32_t>& values, uint32_t shared_exp,
                                         bool is_exp_a) {
  const uint32_t bits = tt::tt_metal::blockfloat::element_bits(bfp_format);
  TT_FATAL(values.size() * bits <= 32, "{} elements of {} bits do not go into a word",
           values.size(), bits);
  uint32_t word = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    word |= uint32_t{convert_u32_to_bfp(bfp_format, values[i], shared_exp, is_exp_a, false)}
            << bits * i;
  }
  return word;
}
