#pragma once

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string_view>
#include <tt-metalium/bfloat16.hpp>
#include <tt-metalium/buffer_types.hpp>
#include <tt-metalium/core_coord.hpp>
#include <tt-metalium/shape.hpp>
#include <tt-metalium/tt_backend_api_types.hpp>
#include <type_traits>
#include <utility>

// What <tt-metalium/tensor/tensor_types.hpp> has, for the headers that it stands above.
namespace tt::tt_metal {

// What the elements of a tensor are. The numbers are upstream's of October 2026. BFLOAT8_B and
// BFLOAT4_B are block floating point (blockfloat_common.hpp). Nothing here computes with FP8_E4M3:
// a TensorLayout refuses it.
enum class DataType {
  BFLOAT16 = 0,
  FLOAT32 = 1,
  UINT32 = 2,
  BFLOAT8_B = 3,
  BFLOAT4_B = 4,
  UINT8 = 5,
  UINT16 = 6,
  INT32 = 7,
  FP8_E4M3 = 8,
  INT8 = 9,
  INVALID = 10,
};

namespace internal {

std::string_view name_of(DataType data_type);  // such as "BFLOAT16"

}  // namespace internal

std::ostream& operator<<(std::ostream& os, const DataType& data_type);

// The data type whose elements a C++ type holds.
template <typename T>
consteval DataType convert_to_data_type() {
  if constexpr (std::is_same_v<T, uint8_t>) {
    return DataType::UINT8;
  } else if constexpr (std::is_same_v<T, int8_t>) {
    return DataType::INT8;
  } else if constexpr (std::is_same_v<T, uint16_t>) {
    return DataType::UINT16;
  } else if constexpr (std::is_same_v<T, int32_t>) {
    return DataType::INT32;
  } else if constexpr (std::is_same_v<T, uint32_t>) {
    return DataType::UINT32;
  } else if constexpr (std::is_same_v<T, float>) {
    return DataType::FLOAT32;
  } else {
    static_assert(std::is_same_v<T, ::bfloat16>, "no tensor has elements of this type");
    return DataType::BFLOAT16;
  }
}

bool is_floating_point(DataType dtype);
bool is_block_float(DataType dtype);

// The data type of a tensor as the format of its tiles, and back. Throw std::runtime_error for what
// has no counterpart.
tt::DataFormat datatype_to_dataformat_converter(DataType datatype);
DataType dataformat_to_datatype_converter(tt::DataFormat dataformat);

// Bytes of a 32x32 tile. Throws std::runtime_error for INVALID.
uint32_t tile_size(DataType dtype);

// How a tensor is cut in all of its dimensions: shards of `shard_shape` elements, counted from the
// right against the tensor's, go to the cores of the grid. A plain value.
struct NdShardSpec {
  Shape shard_shape;
  CoreRangeSet grid;
  ShardOrientation orientation = ShardOrientation::ROW_MAJOR;
  ShardDistributionStrategy shard_distribution_strategy = ShardDistributionStrategy::ROUND_ROBIN_1D;

  NdShardSpec with_shard_shape(Shape new_shard_shape) const {
    return {std::move(new_shard_shape), grid, orientation, shard_distribution_strategy};
  }

  friend bool operator==(const NdShardSpec&, const NdShardSpec&) = default;
};

std::ostream& operator<<(std::ostream& os, const NdShardSpec& spec);

}  // namespace tt::tt_metal

template <>
struct fmt::formatter<tt::tt_metal::DataType> : fmt::formatter<std::string_view> {
  template <typename Context>
  auto format(tt::tt_metal::DataType value, Context& context) const {
    return fmt::formatter<std::string_view>::format(tt::tt_metal::internal::name_of(value),
                                                    context);
  }
};
template <>
struct fmt::formatter<tt::tt_metal::NdShardSpec> : fmt::ostream_formatter {};
