#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string_view>

namespace tt::tt_metal {

// How the pages of a buffer are spread over banks. The numbers are permanent: files hold them.
enum class TensorMemoryLayout : uint8_t {
  INTERLEAVED = 0,
  SINGLE_BANK = 1,
  HEIGHT_SHARDED = 2,
  WIDTH_SHARDED = 3,
  BLOCK_SHARDED = 4,
  // Shards that no other layout can say; the buffer has a BufferDistributionSpec.
  ND_SHARDED = 5,
};

// Which core of a grid takes which shard of a tensor. ROUND_ROBIN_1D: shard after shard, core after
// core, and again from the first core. GRID_2D: a block of shards takes a block of cores.
// CONTIGUOUS_1D: each core takes a run of shards, all runs being equally long.
enum class ShardDistributionStrategy : uint8_t {
  ROUND_ROBIN_1D = 0,
  GRID_2D = 1,
  CONTIGUOUS_1D = 2,
};

// The order in which the cores of a shard grid take the shards.
enum class ShardOrientation : uint8_t { ROW_MAJOR = 0, COL_MAJOR = 1 };

// PHYSICAL: the shape of a shard counts padding. LOGICAL: it does not.
enum class ShardMode : uint8_t { PHYSICAL = 0, LOGICAL = 1 };

// Which memory a buffer lies in. TRACE is a region of its own at the top of each DRAM bank,
// L1_SMALL one at the top of each core's L1. SYSTEM_MEMORY is no memory of a device: every call
// refuses it.
enum class BufferType : uint8_t { DRAM = 0, L1 = 1, SYSTEM_MEMORY = 2, L1_SMALL = 3, TRACE = 4 };

constexpr bool is_sharded(TensorMemoryLayout layout) {
  return layout == TensorMemoryLayout::HEIGHT_SHARDED ||
         layout == TensorMemoryLayout::WIDTH_SHARDED ||
         layout == TensorMemoryLayout::BLOCK_SHARDED || layout == TensorMemoryLayout::ND_SHARDED;
}

// Names, such as "HEIGHT_SHARDED".
namespace internal {

std::string_view name_of(TensorMemoryLayout layout);
std::string_view name_of(ShardOrientation orientation);
std::string_view name_of(ShardDistributionStrategy strategy);
std::string_view name_of(BufferType type);

}  // namespace internal

}  // namespace tt::tt_metal

template <>
struct fmt::formatter<tt::tt_metal::TensorMemoryLayout> : fmt::formatter<std::string_view> {
  template <typename Context>
  auto format(tt::tt_metal::TensorMemoryLayout value, Context& context) const {
    return fmt::formatter<std::string_view>::format(tt::tt_metal::internal::name_of(value),
                                                    context);
  }
};
template <>
struct fmt::formatter<tt::tt_metal::ShardOrientation> : fmt::formatter<std::string_view> {
  template <typename Context>
  auto format(tt::tt_metal::ShardOrientation value, Context& context) const {
    return fmt::formatter<std::string_view>::format(tt::tt_metal::internal::name_of(value),
                                                    context);
  }
};
template <>
struct fmt::formatter<tt::tt_metal::BufferType> : fmt::formatter<std::string_view> {
  template <typename Context>
  auto format(tt::tt_metal::BufferType value, Context& context) const {
    return fmt::formatter<std::string_view>::format(tt::tt_metal::internal::name_of(value),
                                                    context);
  }
};
