#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <fstream>
#include <functional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/data_format.h"

namespace tt {

// The architectures that upstream names. The devices here are WORMHOLE_B0, or BLACKHOLE where
// LIGHTMETAL_DEVICE_PROFILE asks for it.
enum class ARCH : uint8_t {
  JAWBRIDGE = 0,
  GRAYSKULL = 1,
  WORMHOLE_B0 = 2,
  BLACKHOLE = 3,
  QUASAR = 4,
  Invalid = 0xFF
};

// The bytes of one datum, for 8-bit block formats those of its mantissa. Throws std::runtime_error
// for Invalid and for formats whose datum is smaller than a byte.
uint32_t datum_size(DataFormat format);

bool is_integer_format(DataFormat format);

// Bytes of a 32x32 tile. Throws std::invalid_argument for Invalid.
constexpr uint32_t tile_size(DataFormat format) {
  const uint32_t size = lightmetal::tile_bytes(format);
  return size != 0 ? size : throw std::invalid_argument("this data format has no tile size");
}

namespace internal {

// The name, such as "Float16_b".
std::string_view name_of(DataFormat format);

}  // namespace internal

// The name of an architecture: get_string gives "WORMHOLE_B0", the other two "wormhole_b0".
// get_arch_from_string takes either form; an unknown name gives ARCH::Invalid.
std::string get_string_lowercase(ARCH arch);
std::string arch_to_str(ARCH arch);
std::string get_string(ARCH arch);
ARCH get_arch_from_string(const std::string& name);
// As get_arch_from_string, the driver's name of it.
ARCH arch_from_str(const std::string& arch_str);

// The name, as arch_to_str gives it.
std::ostream& operator<<(std::ostream& os, ARCH arch);

// The processors of a core; COMPUTE stands for TRISC0 to TRISC2.
enum RISCV : uint8_t {
  BRISC = 0,
  NCRISC = 1,
  TRISC0 = 2,
  TRISC1 = 3,
  TRISC2 = 4,
  ERISC = 5,
  ERISC1 = 6,
  COMPUTE = 7,
  MAX = 8,
};

// The name, such as "BRISC".
std::ostream& operator<<(std::ostream& os, RISCV processor);

// The name, such as "Float16_b".
std::ostream& operator<<(std::ostream& os, DataFormat format);

}  // namespace tt

template <>
struct fmt::formatter<tt::DataFormat> : fmt::formatter<std::string_view> {
  template <typename Context>
  auto format(tt::DataFormat value, Context& context) const {
    return fmt::formatter<std::string_view>::format(tt::internal::name_of(value), context);
  }
};
template <>
struct fmt::formatter<tt::ARCH> : fmt::formatter<std::string_view> {
  template <typename Context>
  auto format(tt::ARCH value, Context& context) const {
    return fmt::formatter<std::string_view>::format(tt::arch_to_str(value), context);
  }
};
