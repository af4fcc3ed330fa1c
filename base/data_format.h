#pragma once

#include <cstdint>

// The type is in the namespace that upstream has it in: a call with a format as its argument finds
// the functions of that namespace, and must not find ours.
namespace tt {

// How the elements of a tile are stored. The numbers are TT-Metalium's; kernels and files use them.
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

}  // namespace tt

namespace lightmetal {

using ::tt::DataFormat;

// The bytes of a tile of `elements` elements (1024 for 32x32). The block formats, whose names begin
// with Bfp, add one byte with the shared exponent of each 16 elements. Returns 0 for Invalid and
// for a number that is no format. REQUIRES: `elements` is a multiple of 16.
constexpr uint32_t tile_bytes(DataFormat format, uint32_t elements = 1024) {
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
    case DataFormat::Int8:
    case DataFormat::Lf8:
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

}  // namespace lightmetal
