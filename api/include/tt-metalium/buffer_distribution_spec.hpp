#pragma once

#include <cstddef>
#include <cstdint>
#include <tt-metalium/buffer_page_mapping.hpp>
#include <tt-metalium/buffer_types.hpp>
#include <tt-metalium/core_coord.hpp>
#include <tt-metalium/shape.hpp>
#include <tt-metalium/shape2d.hpp>
#include <tuple>
#include <utility>
#include <vector>

namespace tt::tt_metal {

namespace detail {

// Returns which pages each core has, if a tensor is cut into shards that are dealt to `cores`. Both
// shapes are in pages and of one rank. Throws as the constructors of BufferDistributionSpec.
UncompressedBufferPageMapping compute_page_mapping(
    const Shape& tensor_shape, const Shape& shard_shape, const std::vector<CoreCoord>& cores,
    ShardDistributionStrategy shard_distribution_strategy =
        ShardDistributionStrategy::ROUND_ROBIN_1D);

// Returns shapes of as few dimensions as possible that put the same pages into the same places.
// Dimensions of the tensor that the shard has not are folded into its first one.
std::pair<Shape, Shape> squeeze_shape_ranks(const Shape& tensor_shape, const Shape& shard_shape);

}  // namespace detail

// Says how the pages of a tensor of any rank are distributed over cores (or DRAM banks, as cores of
// one row). The tensor is cut into shards of one shape. Shards are numbered row by row and dealt to
// the cores as ShardDistributionStrategy says; a core has its shards one after the other, and each
// has its pages row by row. A shard that reaches beyond the tensor has padding there.
//
// The shapes that it keeps are squeezed: they have the fewest dimensions that say the same. A
// value. Constructors throw std::runtime_error if a shard holds nothing, there are no cores or one
// of them twice, or the cores do not suit the strategy.
class BufferDistributionSpec {
 public:
  // Both shapes and `page_shape` are in elements. Throws also if pages do not divide the last two
  // dimensions of the shapes.
  static BufferDistributionSpec from_shard_spec(
      Shape tensor_shape, Shape shard_shape, Shape2D page_shape, const CoreRangeSet& core_range_set,
      ShardOrientation shard_orientation,
      ShardDistributionStrategy shard_distribution_strategy =
          ShardDistributionStrategy::ROUND_ROBIN_1D);

  // The cores take shards range by range, within each along the orientation. GRID_2D leaves out
  // the cores of the rectangle that have no shard: a row of cores has a row of shards (the last
  // dimension), or for COL_MAJOR a column of cores.
  BufferDistributionSpec(const Shape& tensor_shape_in_pages, const Shape& shard_shape_in_pages,
                         const CoreRangeSet& core_range_set, ShardOrientation shard_orientation,
                         ShardDistributionStrategy shard_distribution_strategy =
                             ShardDistributionStrategy::ROUND_ROBIN_1D);
  // The cores take shards in the given order.
  BufferDistributionSpec(const Shape& tensor_shape_in_pages, const Shape& shard_shape_in_pages,
                         std::vector<CoreCoord> cores);
  // The same with a strategy; GRID_2D means that each core has one shard at most. Ours.
  BufferDistributionSpec(const Shape& tensor_shape_in_pages, const Shape& shard_shape_in_pages,
                         std::vector<CoreCoord> cores,
                         ShardDistributionStrategy shard_distribution_strategy);

  const Shape& tensor_shape_in_pages() const { return tensor_shape_in_pages_; }
  const Shape& shard_shape_in_pages() const { return shard_shape_in_pages_; }

  size_t num_shards() const { return num_shards_; }
  size_t max_num_shards_per_core() const { return num_shards_per_core(0); }
  size_t max_num_dev_pages_per_core() const { return num_dev_pages_per_core(0); }
  size_t num_cores() const { return cores_.size(); }
  size_t num_cores_with_data() const { return cores_with_data_.size(); }
  const std::vector<CoreCoord>& cores() const { return cores_; }
  const std::vector<CoreCoord>& cores_with_data() const { return cores_with_data_; }

  // By index of the core.
  size_t num_shards_per_core(size_t core_idx) const;
  size_t num_dev_pages_per_core(size_t core_idx) const {
    return num_shards_per_core(core_idx) * shard_volume_;
  }

  ShardDistributionStrategy shard_distribution_strategy() const {
    return shard_distribution_strategy_;
  }

  // Cores by how many shards they have. Group 1 has the most; group 2, one less, is empty where all
  // cores with data have equally many.
  struct CoreGroups {
    CoreRangeSet cores_with_data;
    CoreRangeSet cores_in_group_1;
    CoreRangeSet cores_in_group_2;
    size_t num_shards_per_core_in_group_1 = 0;
    size_t num_shards_per_core_in_group_2 = 0;

    friend bool operator==(const CoreGroups&, const CoreGroups&) = default;
  };
  const CoreGroups& core_groups() const { return core_groups_; }
  // The same as split_work_to_cores() has it: number of cores with data, these, group 1, group 2,
  // and how many shards each core of both groups has.
  std::tuple<uint32_t, CoreRangeSet, CoreRangeSet, CoreRangeSet, uint32_t, uint32_t>
  core_groups_tuple() const;

  // Has all cores, those without data too.
  UncompressedBufferPageMapping compute_page_mapping() const;

  // By the names of May and June 2025.
  const Shape& get_tensor_shape_in_pages() const { return tensor_shape_in_pages_; }
  const Shape& get_shard_shape_in_pages() const { return shard_shape_in_pages_; }
  const std::vector<CoreCoord>& get_cores() const { return cores_; }
  std::vector<CoreCoord> get_cores_with_data() const { return cores_with_data_; }
  size_t num_shards_per_core() const { return max_num_shards_per_core(); }
  size_t num_dev_pages_per_core() const { return max_num_dev_pages_per_core(); }
  struct CoreGroup {
    size_t num_shards = 0;
    std::vector<CoreCoord> cores;
  };
  std::pair<CoreGroup, CoreGroup> get_core_groups_by_num_shards() const;

  friend bool operator==(const BufferDistributionSpec&, const BufferDistributionSpec&) = default;

 private:
  void init_groups();

  Shape tensor_shape_in_pages_;
  Shape shard_shape_in_pages_;
  std::vector<CoreCoord> cores_;
  ShardDistributionStrategy shard_distribution_strategy_ =
      ShardDistributionStrategy::ROUND_ROBIN_1D;

  // Derived from those above.
  size_t shard_volume_ = 0;
  size_t num_shards_ = 0;
  std::vector<CoreCoord> cores_with_data_;
  CoreGroups core_groups_;
};

}  // namespace tt::tt_metal
