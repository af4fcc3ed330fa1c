#pragma once

#include <cstdint>

#include "tt-metalium/circular_buffer_constants.h"

// Data formats and circular buffer names as kernels spell them, and what a kernel's circular
// buffers hold.

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
  c_32,
  c_33,
  c_34,
  c_35,
  c_36,
  c_37,
  c_38,
  c_39,
  c_40,
  c_41,
  c_42,
  c_43,
  c_44,
  c_45,
  c_46,
  c_47,
  c_48,
  c_49,
  c_50,
  c_51,
  c_52,
  c_53,
  c_54,
  c_55,
  c_56,
  c_57,
  c_58,
  c_59,
  c_60,
  c_61,
  c_62,
  c_63,
  SIZE = 32  // of Wormhole
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

// The names of circular buffers in 2024 and before.
enum HlkOperand : uint8_t {
  in0,
  in1,
  in2,
  in3,
  in4,
  in5,
  in6,
  in7,
  param0,
  param1,
  param2,
  param3,
  param4,
  param5,
  param6,
  param7,
  out0,
  out1,
  out2,
  out3,
  out4,
  out5,
  out6,
  out7,
  intermed0,
  intermed1,
  intermed2,
  intermed3,
  intermed4,
  intermed5,
  intermed6,
  intermed7
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

// Of this kernel's circular buffers, by their numbers: values.h defines them.
extern const DataFormat kCircularBufferFormats[NUM_CIRCULAR_BUFFERS];
extern const uint8_t kCircularBufferTileRows[NUM_CIRCULAR_BUFFERS];
extern const uint8_t kCircularBufferTileColumns[NUM_CIRCULAR_BUFFERS];

constexpr bool is_circular_buffer(int32_t index) {
  return static_cast<uint32_t>(index) < NUM_CIRCULAR_BUFFERS;
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
  return uint32_t{lightmetal::kernel::kCircularBufferTileRows[operand]} *
         lightmetal::kernel::kCircularBufferTileColumns[operand];
}

// Bytes of one tile.
constexpr int32_t get_tile_size(int32_t operand) {
  return static_cast<int32_t>(
      lightmetal::kernel::format_bytes(get_dataformat(operand), get_tile_hw(operand)));
}
