#include <algorithm>
#include <array>
#include <cctype>
#include <magic_enum/magic_enum.hpp>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/base_types.hpp>
#include <tt-metalium/buffer_types.hpp>
#include <tt-metalium/tile.hpp>
#include <tt-metalium/tt_backend_api_types.hpp>
#include <tt-metalium/util.hpp>
#include <utility>

#include "host/buffer.h"

namespace tt {
namespace {

// The names as upstream writes them; the search ignores case.
constexpr std::array<std::pair<ARCH, std::string_view>, 5> kArchNames = {
    {{ARCH::JAWBRIDGE, "JAWBRIDGE"},
     {ARCH::GRAYSKULL, "GRAYSKULL"},
     {ARCH::WORMHOLE_B0, "WORMHOLE_B0"},
     {ARCH::BLACKHOLE, "BLACKHOLE"},
     {ARCH::QUASAR, "QUASAR"}}};

std::string with_case(std::string_view text, int (*convert)(int)) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [convert](unsigned char c) { return static_cast<char>(convert(c)); });
  return result;
}

}  // namespace

std::string get_string(ARCH arch) {
  for (const auto& [known, name] : kArchNames) {
    if (known == arch) return std::string(name);
  }
  return "Invalid";
}

std::string get_string_lowercase(ARCH arch) { return with_case(get_string(arch), std::tolower); }

std::string arch_to_str(ARCH arch) { return get_string_lowercase(arch); }

ARCH get_arch_from_string(const std::string& name) {
  const std::string wanted = with_case(name, std::toupper);
  for (const auto& [arch, known] : kArchNames) {
    if (known == wanted) return arch;
  }
  return ARCH::Invalid;
}

uint32_t datum_size(DataFormat format) {
  switch (format) {
    case DataFormat::Bfp8:
    case DataFormat::Bfp8_b:
      return 1;
    case DataFormat::Bfp4:
    case DataFormat::Bfp4_b:
    case DataFormat::Bfp2:
    case DataFormat::Bfp2_b:
      TT_THROW("A datum of format {} is smaller than a byte", format);
    default: {
      const uint32_t size = lightmetal::tile_bytes(format, 1);
      TT_FATAL(size != 0, "Format {} has no datum size", format);
      return size;
    }
  }
}

bool is_integer_format(DataFormat format) {
  switch (format) {
    case DataFormat::Int8:
    case DataFormat::Int32:
    case DataFormat::UInt8:
    case DataFormat::UInt16:
    case DataFormat::UInt32:
    case DataFormat::RawUInt8:
    case DataFormat::RawUInt16:
    case DataFormat::RawUInt32:
      return true;
    default:
      return false;
  }
}

std::string_view internal::name_of(DataFormat format) {
  switch (format) {
    case DataFormat::Float32:
      return "Float32";
    case DataFormat::Float16:
      return "Float16";
    case DataFormat::Bfp8:
      return "Bfp8";
    case DataFormat::Bfp4:
      return "Bfp4";
    case DataFormat::Tf32:
      return "Tf32";
    case DataFormat::Float16_b:
      return "Float16_b";
    case DataFormat::Bfp8_b:
      return "Bfp8_b";
    case DataFormat::Bfp4_b:
      return "Bfp4_b";
    case DataFormat::Int32:
      return "Int32";
    case DataFormat::UInt16:
      return "UInt16";
    case DataFormat::Lf8:
      return "Lf8";
    case DataFormat::Bfp2:
      return "Bfp2";
    case DataFormat::Int8:
      return "Int8";
    case DataFormat::Bfp2_b:
      return "Bfp2_b";
    case DataFormat::UInt32:
      return "UInt32";
    case DataFormat::Fp8_e4m3:
      return "Fp8_e4m3";
    case DataFormat::UInt8:
      return "UInt8";
    case DataFormat::RawUInt8:
      return "RawUInt8";
    case DataFormat::RawUInt16:
      return "RawUInt16";
    case DataFormat::RawUInt32:
      return "RawUInt32";
    case DataFormat::Invalid:
      return "Invalid";
  }
  return "unknown";
}

std::ostream& operator<<(std::ostream& os, DataFormat format) {
  return os << internal::name_of(format);
}

std::ostream& operator<<(std::ostream& os, ARCH arch) { return os << arch_to_str(arch); }

std::ostream& operator<<(std::ostream& os, RISCV processor) {
  constexpr std::string_view kNames[] = {"BRISC",  "NCRISC", "TRISC0", "TRISC1",
                                         "TRISC2", "ERISC",  "ERISC1", "COMPUTE"};
  return os << (processor < std::size(kNames) ? kNames[processor] : "unknown");
}

namespace tt_metal {

namespace detail {

uint64_t SizeBytesPerBank(uint64_t size_bytes, uint64_t page_size_bytes, uint32_t num_banks,
                          uint32_t alignment_bytes) {
  TT_FATAL(page_size_bytes != 0 && size_bytes % page_size_bytes == 0,
           "Page size {} must divide buffer size {}", page_size_bytes, size_bytes);
  return div_up(size_bytes / page_size_bytes, num_banks) * align(page_size_bytes, alignment_bytes);
}

}  // namespace detail

namespace internal {

std::string_view name_of(MathFidelity fidelity) { return magic_enum::enum_name(fidelity); }

std::string_view name_of(TensorMemoryLayout layout) {
  if (layout == TensorMemoryLayout::ND_SHARDED) return "ND_SHARDED";
  return lightmetal::host::name_of(static_cast<lightmetal::host::BufferLayout>(layout));
}

std::string_view name_of(ShardOrientation orientation) {
  return orientation == ShardOrientation::ROW_MAJOR ? "ROW_MAJOR" : "COL_MAJOR";
}

std::string_view name_of(ShardDistributionStrategy strategy) {
  switch (strategy) {
    case ShardDistributionStrategy::ROUND_ROBIN_1D:
      return "ROUND_ROBIN_1D";
    case ShardDistributionStrategy::GRID_2D:
      return "GRID_2D";
    case ShardDistributionStrategy::CONTIGUOUS_1D:
      return "CONTIGUOUS_1D";
  }
  return "unknown";
}

std::string_view name_of(BufferType type) {
  return lightmetal::host::name_of(static_cast<lightmetal::host::BufferType>(type));
}

}  // namespace internal

Tile::Tile(std::array<uint32_t, 2> tile_shape, bool transpose_tile)
    : tile_shape_(tile_shape), transpose_(transpose_tile) {
  const auto [height, width] = tile_shape;
  const bool known_height =
      height == 1 || height == 2 || height == 4 || height == 8 || height == 16 || height == 32;
  TT_FATAL(known_height && (width == 16 || width == 32), "No device has tiles of {}x{}", height,
           width);
  TT_FATAL(!transpose_tile || height >= constants::FACE_HEIGHT, "A tile of {}x{} has no transpose",
           height, width);
  face_shape_ = {std::min(height, constants::FACE_HEIGHT), std::min(width, constants::FACE_WIDTH)};
  num_faces_ = get_tile_hw() / get_face_hw();
}

uint32_t Tile::get_tile_size(const DataFormat& format) const {
  const uint32_t size = lightmetal::tile_bytes(format, get_tile_hw());
  TT_FATAL(size != 0, "Format {} has no tile size", format);
  return size;
}

}  // namespace tt_metal
}  // namespace tt
