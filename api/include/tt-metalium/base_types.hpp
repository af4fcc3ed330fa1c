#pragma once

#include <cstdint>
#include <ostream>
#include <tt-metalium/constants.hpp>

// How many of the operands' mantissa bits a compute kernel multiplies. The numbers are permanent.
enum class MathFidelity : uint8_t {
  LoFi = 0,
  HiFi2 = 2,
  HiFi3 = 3,
  HiFi4 = 4,
  Invalid = 0xff,
};

// Whether a circular buffer's tiles are unpacked straight into DST as 32-bit floats.
enum class UnpackToDestMode : uint8_t {
  UnpackToDestFp32 = 0,
  Default = 1,
};

namespace tt::tt_metal {

using ::MathFidelity;
using ::UnpackToDestMode;

}  // namespace tt::tt_metal
