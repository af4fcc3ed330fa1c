#include <algorithm>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/math.hpp>
#include <tt-metalium/tensor/spec/tensor_spec.hpp>
#include <utility>

#include "api/src/tensors/shard_forms.h"

namespace tt::tt_metal {
namespace {

// A tile; or 1x1, which rows are divided into.
Shape2D smallest_part(const TensorLayout& layout) {
  if (layout.get_layout() != Layout::TILE) return {1, 1};
  return Shape2D(layout.get_tile().get_tile_shape());
}

// `extent` in `parts` parts that are as equal as they can be: multiples of `unit`.
uint32_t part_of(size_t extent, size_t parts, size_t unit) {
  TT_FATAL(parts != 0, "A tensor needs a core to lie on: the grid is empty");
  return static_cast<uint32_t>(
      std::max(unit, tt::round_up(tt::div_up(extent, parts), unit)));  // what is empty, too
}

// How many rows and columns of shards a grid takes.
Shape2D shards_in(TensorMemoryLayout memory_layout, const CoreRangeSet& grid,
                  ShardOrientation orientation) {
  if (memory_layout == TensorMemoryLayout::HEIGHT_SHARDED) return {grid.num_cores(), 1};
  if (memory_layout == TensorMemoryLayout::WIDTH_SHARDED) return {1, grid.num_cores()};
  TT_FATAL(memory_layout == TensorMemoryLayout::BLOCK_SHARDED, "{} has no shards in two dimensions",
           memory_layout);
  const CoreRange box = grid.bounding_box();
  TT_FATAL(box.size() == grid.num_cores(), "Blocks need a rectangle of cores, not {}", grid);
  const auto [x, y] = box.grid_size();
  return orientation == ShardOrientation::ROW_MAJOR ? Shape2D(y, x) : Shape2D(x, y);
}

// Shards that divide the matrix among all cores of a grid.
ShardSpec even_shards(const TensorSpec& spec, TensorMemoryLayout memory_layout,
                      const CoreRangeSet& grid, ShardOrientation orientation) {
  const Shape2D shards = shards_in(memory_layout, grid, orientation);
  const Shape2D unit = smallest_part(spec.tensor_layout());
  const Shape2D whole = spec.physical_shape();
  const uint32_t height = part_of(whole.height(), shards.height(), unit.height());
  const uint32_t width = part_of(whole.width(), shards.width(), unit.width());
  return ShardSpec(grid, {height, width}, orientation);
}

}  // namespace

bool can_shape_fits_shard_grid(const TensorLayout& tensor_layout, const Shape& logical_shape) {
  const MemoryConfig& config = tensor_layout.get_memory_config();
  if (!config.is_sharded() || config.created_with_nd_shard_spec()) return true;
  const ShardSpec& spec = *config.shard_spec();
  const Shape2D physical = tensor_layout.compute_physical_shape(logical_shape);
  const tensors::Blocks blocks = tensors::blocks_of(physical, Shape2D(spec.shape));
  if (blocks.count() == 0) return true;
  switch (config.memory_layout()) {
    case TensorMemoryLayout::HEIGHT_SHARDED:
      return physical.width() == spec.shape[1] && blocks.rows <= spec.num_cores();
    case TensorMemoryLayout::WIDTH_SHARDED:
      return physical.height() == spec.shape[0] && blocks.columns <= spec.num_cores();
    default:
      return tensors::cores_of_blocks(spec, blocks).has_value();
  }
}

TensorSpec::TensorSpec(Shape logical_shape, TensorLayout tensor_layout)
    : logical_shape_(std::move(logical_shape)),
      tensor_layout_(std::move(tensor_layout)),
      padded_shape_(tensor_layout_.compute_padded_shape(logical_shape_)),
      logical_2d_shape_(tensor_layout_.compute_logical_2d_shape(logical_shape_)),
      physical_shape_(tensor_layout_.compute_physical_shape(logical_shape_)) {
  TT_FATAL(can_shape_fits_shard_grid(tensor_layout_, logical_shape_),
           "A tensor of {}, {}x{} elements with its padding, does not fit {}", logical_shape_,
           physical_shape_.height(), physical_shape_.width(), memory_config());
  tensor_layout_ = tensor_layout_.with_derived_form(with_both_forms());
}

MemoryConfig TensorSpec::with_both_forms() const {
  // Of another tensor the other form may be another one, or none.
  const MemoryConfig config = memory_config().without_derived_form();
  if (config.created_with_nd_shard_spec()) {
    const auto form = tensors::matrix_form(*config.nd_shard_spec(), padded_shape_);
    return form.has_value() ? config.with_2d_shards(form->layout, form->spec) : config;
  }
  const auto form = tensors::nd_form(config, padded_shape_);
  return form.has_value() ? config.with_nd_shards(*form) : config;
}

TensorSpec TensorSpec::with_memory(MemoryConfig memory_config) const {
  return TensorSpec(logical_shape_, TensorLayout(data_type(), page_config(), memory_config,
                                                 tensor_layout_.get_alignment()));
}

TensorSpec TensorSpec::with_memory_config(MemoryConfig memory_config) const {
  return TensorSpec(logical_shape_, tensor_layout_.with_memory_config(std::move(memory_config)));
}

TensorSpec TensorSpec::height_sharded(CoreRangeSet grid, ShardOrientation orientation) const {
  constexpr auto kLayout = TensorMemoryLayout::HEIGHT_SHARDED;
  return with_memory(MemoryConfig(kLayout, memory_config().buffer_type(),
                                  even_shards(*this, kLayout, grid, orientation)));
}

TensorSpec TensorSpec::width_sharded(CoreRangeSet grid, ShardOrientation orientation) const {
  constexpr auto kLayout = TensorMemoryLayout::WIDTH_SHARDED;
  return with_memory(MemoryConfig(kLayout, memory_config().buffer_type(),
                                  even_shards(*this, kLayout, grid, orientation)));
}

TensorSpec TensorSpec::block_sharded(CoreRange grid, ShardOrientation orientation) const {
  constexpr auto kLayout = TensorMemoryLayout::BLOCK_SHARDED;
  return with_memory(MemoryConfig(kLayout, memory_config().buffer_type(),
                                  even_shards(*this, kLayout, grid, orientation)));
}

CoreRangeSet TensorSpec::fit_grid_to_shards(TensorMemoryLayout memory_layout, CoreRangeSet grid,
                                            ShardOrientation orientation) const {
  const ShardSpec spec = even_shards(*this, memory_layout, grid, orientation);
  const tensors::Blocks blocks = tensors::blocks_of(physical_shape_, Shape2D(spec.shape));
  if (blocks.count() == 0) return {};
  if (memory_layout == TensorMemoryLayout::BLOCK_SHARDED) {
    return CoreRangeSet(tensors::cores_of_blocks(spec, blocks).value());
  }
  return select_from_corerangeset(grid, 0, static_cast<uint32_t>(blocks.count() - 1),
                                  orientation == ShardOrientation::ROW_MAJOR);
}

TensorSpec TensorSpec::sharded_in(const std::vector<bool>& is_divided, CoreRangeSet grid,
                                  ShardOrientation orientation) const {
  Shape shard = padded_shape_;
  for (size_t i = 0; i < is_divided.size(); ++i) {
    if (is_divided[i]) shard[static_cast<int32_t>(i)] = 1;
  }
  return sharded(std::move(shard), std::move(grid), ShardShapeAlignment::REQUIRED, orientation);
}

TensorSpec TensorSpec::sharded_across_dims(tt::stl::Span<const int32_t> dims, CoreRangeSet grid,
                                           ShardOrientation orientation) const {
  std::vector<bool> is_divided(padded_shape_.rank(), false);
  for (const int32_t dim : dims) is_divided[padded_shape_.get_normalized_index(dim)] = true;
  return sharded_in(is_divided, std::move(grid), orientation);
}

TensorSpec TensorSpec::sharded_across_dims_except(tt::stl::Span<const int32_t> dims,
                                                  CoreRangeSet grid,
                                                  ShardOrientation orientation) const {
  std::vector<bool> is_divided(padded_shape_.rank(), true);
  for (const int32_t dim : dims) is_divided[padded_shape_.get_normalized_index(dim)] = false;
  return sharded_in(is_divided, std::move(grid), orientation);
}

TensorSpec TensorSpec::sharded(Shape shard_shape, CoreRangeSet grid,
                               ShardShapeAlignment shard_alignment, ShardOrientation orientation,
                               ShardDistributionStrategy shard_distribution_strategy) const {
  return sharded(NdShardSpec{std::move(shard_shape), std::move(grid), orientation,
                             shard_distribution_strategy},
                 shard_alignment);
}

TensorSpec TensorSpec::sharded(NdShardSpec nd_shard_spec,
                               ShardShapeAlignment shard_alignment) const {
  Alignment alignment;
  if (shard_alignment == ShardShapeAlignment::RECOMMENDED) {
    alignment = page_config().get_recommended_shard_shape_alignment(data_type());
  } else if (shard_alignment == ShardShapeAlignment::REQUIRED) {
    const Shape2D part = smallest_part(tensor_layout_);
    alignment = Alignment(std::array<uint32_t, 2>(part));
  }
  Shape& shard = nd_shard_spec.shard_shape;
  const int dims = static_cast<int>(std::min(alignment.size(), shard.rank()));
  for (int back = 1; back <= dims; ++back) {
    shard[-back] = tt::round_up(shard[-back], alignment[-back]);
  }
  return with_memory(MemoryConfig(memory_config().buffer_type(), std::move(nd_shard_spec)));
}

Strides TensorSpec::compute_strides() const {
  return tensor_layout_.compute_strides(logical_shape_);
}
BufferShardingArgs TensorSpec::compute_buffer_sharding_args() const {
  return tensor_layout_.compute_buffer_sharding_args(logical_shape_);
}
size_t TensorSpec::compute_packed_buffer_size_bytes() const {
  return tensor_layout_.compute_packed_buffer_size_bytes(logical_shape_);
}
size_t TensorSpec::compute_page_size_bytes() const {
  return tensor_layout_.compute_page_size_bytes(logical_shape_);
}
size_t TensorSpec::compute_consumed_memory_bytes_per_bank(size_t page_alignment,
                                                          size_t num_banks) const {
  return tensor_layout_.compute_consumed_memory_bytes_per_bank(logical_shape_, page_alignment,
                                                               num_banks);
}

size_t TensorSpec::compute_consumed_memory_bytes_per_bank(const IDevice& device) const {
  return tensor_layout_.compute_consumed_memory_bytes_per_bank(logical_shape_, device);
}

}  // namespace tt::tt_metal
