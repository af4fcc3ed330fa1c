#pragma once

#include <cstddef>
#include <cstdint>
#include <tt-metalium/buffer.hpp>
#include <tt-metalium/core_coord.hpp>
#include <tt-metalium/shape.hpp>
#include <tt-metalium/shape2d.hpp>
#include <tt-metalium/span.hpp>
#include <tt-metalium/tensor/spec/layout/tensor_layout.hpp>
#include <tt-metalium/tensor/spec/memory_config/memory_config.hpp>
#include <tt-metalium/tensor/types/data_types.hpp>
#include <vector>

namespace tt::tt_metal {

// True unless a tensor has more shards than its grid has cores, or a dimension that is not divided
// is not as long as the shard's. Looks at shards in two dimensions only.
bool can_shape_fits_shard_grid(const TensorLayout& tensor_layout, const Shape& logical_shape);

// A shape and how it is laid out: all that a device's memory for a tensor follows from. A value.
// Errors are std::runtime_error.
class TensorSpec final {
 public:
  // Throws when the layout cannot hold the shape (can_shape_fits_shard_grid). A sharded memory
  // configuration is given the other form of its shards where it has one: shards in all dimensions
  // of a matrix, or blocks of the matrix.
  TensorSpec(Shape logical_shape, TensorLayout tensor_layout);

  const Shape& logical_shape() const { return logical_shape_; }
  const TensorLayout& tensor_layout() const { return tensor_layout_; }
  DataType data_type() const { return tensor_layout_.get_data_type(); }
  Layout layout() const { return tensor_layout_.get_layout(); }
  PageConfig page_config() const { return tensor_layout_.get_page_config(); }
  const MemoryConfig& memory_config() const { return tensor_layout_.get_memory_config(); }
  const Shape& padded_shape() const { return padded_shape_; }
  const Shape2D& logical_2d_shape() const { return logical_2d_shape_; }
  const Shape2D& physical_shape() const { return physical_shape_; }
  Tile tile() const { return tensor_layout_.get_tile(); }

  // The same tensor in other memory (TensorLayout::with_memory_config).
  TensorSpec with_memory_config(MemoryConfig memory_config) const;

  // The same tensor in shards of its memory. The shards of the first two are as small as they can
  // be, 1 or a tile, in the dimensions given, or in all others; those of the next three divide the
  // matrix as evenly as they can among the cores. A grid may have more cores than there are shards:
  // the last ones hold nothing. Throw for dimensions that the tensor does not have.
  TensorSpec sharded_across_dims(tt::stl::Span<const int32_t> dims, CoreRangeSet grid,
                                 ShardOrientation orientation = ShardOrientation::ROW_MAJOR) const;
  TensorSpec sharded_across_dims_except(
      tt::stl::Span<const int32_t> dims, CoreRangeSet grid,
      ShardOrientation orientation = ShardOrientation::ROW_MAJOR) const;
  TensorSpec height_sharded(CoreRangeSet grid,
                            ShardOrientation orientation = ShardOrientation::ROW_MAJOR) const;
  TensorSpec width_sharded(CoreRangeSet grid,
                           ShardOrientation orientation = ShardOrientation::ROW_MAJOR) const;
  TensorSpec block_sharded(CoreRange grid,
                           ShardOrientation orientation = ShardOrientation::ROW_MAJOR) const;
  // The first cores of `grid` that hold shards when it is given to one of these three.
  CoreRangeSet fit_grid_to_shards(TensorMemoryLayout memory_layout, CoreRangeSet grid,
                                  ShardOrientation orientation = ShardOrientation::ROW_MAJOR) const;

  // NONE: the shards are as given. REQUIRED: whole tiles; shards of rows as given. RECOMMENDED:
  // PageConfig::get_recommended_shard_shape_alignment().
  enum class ShardShapeAlignment { NONE, REQUIRED, RECOMMENDED };
  TensorSpec sharded(Shape shard_shape, CoreRangeSet grid, ShardShapeAlignment shard_alignment,
                     ShardOrientation orientation = ShardOrientation::ROW_MAJOR,
                     ShardDistributionStrategy shard_distribution_strategy =
                         ShardDistributionStrategy::ROUND_ROBIN_1D) const;
  TensorSpec sharded(NdShardSpec nd_shard_spec, ShardShapeAlignment shard_alignment) const;

  // As the functions of TensorLayout.
  Strides compute_strides() const;
  BufferShardingArgs compute_buffer_sharding_args() const;
  size_t compute_packed_buffer_size_bytes() const;
  size_t compute_page_size_bytes() const;
  size_t compute_consumed_memory_bytes_per_bank(size_t page_alignment, size_t num_banks) const;
  size_t compute_consumed_memory_bytes_per_bank(const IDevice& device) const;

  friend bool operator==(const TensorSpec&, const TensorSpec&) = default;

 private:
  MemoryConfig with_both_forms() const;
  TensorSpec with_memory(MemoryConfig memory_config) const;
  TensorSpec sharded_in(const std::vector<bool>& is_divided, CoreRangeSet grid,
                        ShardOrientation orientation) const;

  Shape logical_shape_;
  TensorLayout tensor_layout_;
  Shape padded_shape_;
  Shape2D logical_2d_shape_;
  Shape2D physical_shape_;
};

}  // namespace tt::tt_metal
