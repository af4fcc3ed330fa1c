#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <magic_enum/magic_enum.hpp>
#include <ostream>
#include <string_view>
#include <tt-metalium/constants.hpp>

// How many of the operands' mantissa bits a compute kernel multiplies. The numbers are permanent.
enum class MathFidelity : uint8_t {
  LoFi = 0,
  HiFi2 = 2,
  HiFi3 = 3,
  HiFi4 = 4,
  Invalid = 0xff,
};

// Whether a circular buffer's tiles are unpacked straight into DST as 32-bit floats. A capture
// holds the mode; no kernel is compiled otherwise for it.
enum class UnpackToDestMode : uint8_t {
  UnpackToDestFp32 = 0,
  Default = 1,
};

namespace tt::tt_metal {

using ::MathFidelity;
using ::UnpackToDestMode;

// The names of late 2026 for where a circular buffer's tiles are unpacked to, and for what is meant
// to be fast or accurate.
enum class UnpackMode : uint8_t { UnpackToSrc, UnpackToDest };
enum class Precision : uint8_t { Approximate, Precise };

// The name, such as "HiFi4". Not inline: a compiler needs half a second for enum_name().
namespace internal {

std::string_view name_of(MathFidelity fidelity);

}  // namespace internal

}  // namespace tt::tt_metal

template <>
struct fmt::formatter<MathFidelity> : fmt::formatter<std::string_view> {
  template <typename Context>
  auto format(MathFidelity value, Context& context) const {
    return fmt::formatter<std::string_view>::format(tt::tt_metal::internal::name_of(value),
                                                    context);
  }
};
