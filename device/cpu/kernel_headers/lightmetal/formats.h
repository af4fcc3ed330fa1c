#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

// Data formats and circular buffer names as kernels spell them, and what the build knows about this
// kernel's circular buffers. The wrapper that the compiler writes around a kernel defines
// LIGHTMETAL_CB_FORMATS and LIGHTMETAL_CB_ELEMENTS, lists of one number for each of the 32 circular
// buffers.

enum class DataFormat : uint8_t {
  Float32 = 0,
  Float16 = 1,
  Bfp8 = 2,
  Bfp4 = 3,
  Tf32 = 4,
  Float16_b = 5,
  Bfp8_b = 6,
  Bfp4_b = 7,
  Int32 = 8,
  UInt16 = 9,
  Lf8 = 10,
  Bfp2 = 11,
  Int8 = 14,
  Bfp2_b = 15,
  UInt32 = 24,
  Fp8_e4m3 = 26,
  UInt8 = 30,
  RawUInt8 = 240,
  RawUInt16 = 241,
  RawUInt32 = 242,
  Invalid = 255
};

namespace tt {

enum CBIndex : uint8_t {
  c_0,
  c_1,
  c_2,
  c_3,
  c_4,
  c_5,
  c_6,
  c_7,
  c_8,
  c_9,
  c_10,
  c_11,
  c_12,
  c_13,
  c_14,
  c_15,
  c_16,
  c_17,
  c_18,
  c_19,
  c_20,
  c_21,
  c_22,
  c_23,
  c_24,
  c_25,
  c_26,
  c_27,
  c_28,
  c_29,
  c_30,
  c_31,
  SIZE
};

enum CB : uint8_t {
  c_in0,
  c_in1,
  c_in2,
  c_in3,
  c_in4,
  c_in5,
  c_in6,
  c_in7,
  dataflow0,
  dataflow1,
  dataflow2,
  dataflow3,
  dataflow4,
  dataflow5,
  dataflow6,
  dataflow7,
  c_out0,
  c_out1,
  c_out2,
  c_out3,
  c_out4,
  c_out5,
  c_out6,
  c_out7,
  c_intermed0,
  c_intermed1,
  c_intermed2,
  c_intermed3,
  c_intermed4,
  c_intermed5,
  c_intermed6,
  c_intermed7
};

enum class DstMode : uint8_t { Full = 0, Half = 1, Tile = 2 };

}  // namespace tt

namespace lightmetal::kernel {

// Bytes of `elements` elements; block formats add one exponent byte for each 16. 0 for Invalid.
constexpr uint32_t format_bytes(DataFormat format, uint32_t elements) {
  switch (format) {
    case DataFormat::Float32:
    case DataFormat::Tf32:
    case DataFormat::Int32:
    case DataFormat::UInt32:
    case DataFormat::RawUInt32:
      return elements * 4;
    case DataFormat::Float16:
    case DataFormat::Float16_b:
    case DataFormat::UInt16:
    case DataFormat::RawUInt16:
      return elements * 2;
    case DataFormat::Lf8:
    case DataFormat::Int8:
    case DataFormat::Fp8_e4m3:
    case DataFormat::UInt8:
    case DataFormat::RawUInt8:
      return elements;
    case DataFormat::Bfp8:
    case DataFormat::Bfp8_b:
      return elements + elements / 16;
    case DataFormat::Bfp4:
    case DataFormat::Bfp4_b:
      return elements / 2 + elements / 16;
    case DataFormat::Bfp2:
    case DataFormat::Bfp2_b:
      return elements / 4 + elements / 16;
    case DataFormat::Invalid:
      return 0;
  }
  return 0;
}

inline constexpr DataFormat kCircularBufferFormats[] = {LIGHTMETAL_CB_FORMATS};
inline constexpr uint16_t kCircularBufferElements[] = {LIGHTMETAL_CB_ELEMENTS};

}  // namespace lightmetal::kernel

namespace lightmetal::kernel {

template <typename Value, typename Source, size_t kCount>
constexpr std::array<Value, kCount> for_each_buffer(const Source (&sources)[kCount],
                                                    Value (*value)(Source)) {
  std::array<Value, kCount> values{};
  for (size_t i = 0; i < kCount; ++i) values[i] = value(sources[i]);
  return values;
}
inline constexpr auto kFormatNumbers = for_each_buffer<uint8_t>(
    kCircularBufferFormats, +[](DataFormat format) { return static_cast<uint8_t>(format); });
// Tiles are 32x32.
inline constexpr auto kTileSides = for_each_buffer<uint8_t>(
    kCircularBufferElements, +[](uint16_t elements) -> uint8_t { return elements == 0 ? 0 : 32; });

inline constexpr auto kTileFaces = for_each_buffer<uint8_t>(
    kCircularBufferElements, +[](uint16_t elements) -> uint8_t { return elements == 0 ? 0 : 4; });
inline constexpr auto kFaceRows = for_each_buffer<uint8_t>(
    kCircularBufferElements, +[](uint16_t elements) -> uint8_t { return elements == 0 ? 0 : 16; });
// Whether faces have less than 16 rows, and tiles less than two faces side by side.
inline constexpr auto kNotWhole = for_each_buffer<uint8_t>(
    kCircularBufferElements, +[](uint16_t) -> uint8_t { return 0; });

}  // namespace lightmetal::kernel

// As of 2026, by the number of a circular buffer: the numbers of its format in L1 and in the
// registers, which is one here, and the sides and faces of its tiles.
inline constexpr auto& unpack_src_format = lightmetal::kernel::kFormatNumbers;
inline constexpr auto& unpack_dst_format = lightmetal::kernel::kFormatNumbers;
inline constexpr auto& pack_src_format = lightmetal::kernel::kFormatNumbers;
inline constexpr auto& pack_dst_format = lightmetal::kernel::kFormatNumbers;
inline constexpr auto& unpack_tile_r_dim = lightmetal::kernel::kTileSides;
inline constexpr auto& unpack_tile_c_dim = lightmetal::kernel::kTileSides;
inline constexpr auto& pack_tile_r_dim = lightmetal::kernel::kTileSides;
inline constexpr auto& pack_tile_c_dim = lightmetal::kernel::kTileSides;
inline constexpr auto& unpack_tile_num_faces = lightmetal::kernel::kTileFaces;
inline constexpr auto& unpack_tile_face_r_dim = lightmetal::kernel::kFaceRows;
inline constexpr auto& pack_tile_num_faces = lightmetal::kernel::kTileFaces;
inline constexpr auto& pack_tile_face_r_dim = lightmetal::kernel::kFaceRows;
inline constexpr auto& unpack_partial_face = lightmetal::kernel::kNotWhole;
inline constexpr auto& unpack_narrow_tile = lightmetal::kernel::kNotWhole;
inline constexpr auto& pack_partial_face = lightmetal::kernel::kNotWhole;
inline constexpr auto& pack_narrow_tile = lightmetal::kernel::kNotWhole;

namespace lightmetal::kernel {

constexpr bool is_circular_buffer(int32_t index) {
  return index >= 0 && index < static_cast<int32_t>(sizeof(kCircularBufferFormats));
}

}  // namespace lightmetal::kernel

// Of a circular buffer that this program does not have: Invalid, and 0.
constexpr DataFormat get_dataformat(int32_t operand) {
  if (!lightmetal::kernel::is_circular_buffer(operand)) return DataFormat::Invalid;
  return lightmetal::kernel::kCircularBufferFormats[operand];
}

// Elements of one tile.
constexpr uint32_t get_tile_hw(int32_t operand) {
  if (!lightmetal::kernel::is_circular_buffer(operand)) return 0;
  return lightmetal::kernel::kCircularBufferElements[operand];
}

// Bytes of one tile.
constexpr int32_t get_tile_size(int32_t operand) {
  return static_cast<int32_t>(
      lightmetal::kernel::format_bytes(get_dataformat(operand), get_tile_hw(operand)));
}
