#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/data_format.h"

namespace tt {

using DataFormat = ::lightmetal::DataFormat;

enum class ARCH : uint8_t {
  JAWBRIDGE = 0,
  GRAYSKULL = 1,
  WORMHOLE_B0 = 2,
  BLACKHOLE = 3,
  QUASAR = 4,
  Invalid = 0xFF
};

// The bytes of one datum; the block formats count their mantissas only. Throws for Invalid and for
// formats below a byte.
uint32_t datum_size(DataFormat format);

bool is_integer_format(DataFormat format);

std::string_view to_string(DataFormat format);

// "wormhole_b0", ... The two functions are each other's inverse; an unknown name gives
// ARCH::Invalid.
std::string get_string_lowercase(ARCH arch);
std::string arch_to_str(ARCH arch);
std::string get_string(ARCH arch);
ARCH get_arch_from_string(const std::string& name);

}  // namespace tt

template <>
struct fmt::formatter<lightmetal::DataFormat> : fmt::formatter<std::string_view> {
  template <typename Context>
  auto format(lightmetal::DataFormat value, Context& context) const {
    return fmt::formatter<std::string_view>::format(tt::to_string(value), context);
  }
};
template <>
struct fmt::formatter<tt::ARCH> : fmt::formatter<std::string_view> {
  template <typename Context>
  auto format(tt::ARCH value, Context& context) const {
    return fmt::formatter<std::string_view>::format(tt::arch_to_str(value), context);
  }
};
