#include "api/src/tensors/shard_forms.h"

#include <algorithm>
#include <tt-metalium/math.hpp>
#include <utility>

namespace tt::tt_metal::tensors {
namespace {

// A padded tensor with as many dimensions as its shard: those that the shard lacks are folded into
// its first one. None when the shard has more.
std::optional<Shape> folded(const Shape& padded_shape, size_t rank) {
  if (rank > padded_shape.rank() || rank == 0) return std::nullopt;
  Shape result(padded_shape.view().subspan(padded_shape.rank() - rank));
  for (size_t i = 0; i < padded_shape.rank() - rank; ++i) result[0] *= padded_shape.view()[i];
  return result;
}

// How many consecutive rows of the matrix a shard has; none when its rows do not lie together, or
// when a dimension ends within a shard and the next row of the matrix is not in it.
std::optional<size_t> rows_of_shard(const Shape& shard, const Shape& padded_shape) {
  const int dims = static_cast<int>(padded_shape.rank()) - 1;  // those that make the height
  int first = 0;
  size_t outside = 1;  // how often the dimensions from `first` on are repeated
  while (first < dims && shard[first] == 1) outside *= padded_shape[first++];
  if (first == dims) return 1;
  if (outside > 1 && padded_shape[first] % shard[first] != 0) return std::nullopt;
  size_t rows = shard[first];
  for (int i = first + 1; i < dims; ++i) {
    if (shard[i] != padded_shape[i]) return std::nullopt;
    rows *= shard[i];
  }
  return rows;
}

std::array<uint32_t, 2> extents_of(const Shape2D& shape) {
  return {static_cast<uint32_t>(shape.height()), static_cast<uint32_t>(shape.width())};
}

// Blocks that are taken one by one, in the order of the cores.
std::optional<TensorMemoryLayout> layout_one_by_one(const Blocks& blocks, const ShardSpec& spec) {
  if (blocks.count() > spec.num_cores()) return std::nullopt;
  if (blocks.rows == 1) return TensorMemoryLayout::WIDTH_SHARDED;
  if (blocks.columns == 1) return TensorMemoryLayout::HEIGHT_SHARDED;
  const auto used = cores_of_blocks(spec, blocks);
  if (!used.has_value()) return std::nullopt;
  // The next row of blocks begins with the next row of cores.
  const CoreCoord grid = spec.grid.bounding_box().grid_size();
  const size_t line = spec.orientation == ShardOrientation::ROW_MAJOR ? grid.x : grid.y;
  if (line != blocks.columns) return std::nullopt;
  return TensorMemoryLayout::BLOCK_SHARDED;
}

}  // namespace

Blocks blocks_of(const Shape2D& matrix, const Shape2D& block) {
  return {block, tt::div_up(matrix.height(), block.height()),
          tt::div_up(matrix.width(), block.width())};
}

std::optional<Blocks> blocks_of(const NdShardSpec& shards, const Shape& padded_shape) {
  // Without rows a shard is a part of one row.
  const size_t rank = std::max(shards.shard_shape.rank(), std::min<size_t>(2, padded_shape.rank()));
  const Shape shard = shards.shard_shape.to_rank(rank);
  const std::optional<Shape> tensor = folded(padded_shape, shard.rank());
  if (!tensor.has_value()) return std::nullopt;
  const std::optional<size_t> rows = rows_of_shard(shard, *tensor);
  if (!rows.has_value()) return std::nullopt;
  const size_t width = padded_shape[-1];
  const size_t height = width == 0 ? 0 : padded_shape.volume() / width;
  return blocks_of(Shape2D(height, width), Shape2D(*rows, shard[-1]));
}

std::optional<CoreRange> cores_of_blocks(const ShardSpec& spec, const Blocks& blocks) {
  if (spec.grid.empty() || blocks.count() == 0) return std::nullopt;
  const CoreRange box = spec.grid.bounding_box();
  if (box.size() != spec.num_cores()) return std::nullopt;
  const bool by_row = spec.orientation == ShardOrientation::ROW_MAJOR;
  const size_t x = by_row ? blocks.columns : blocks.rows;
  const size_t y = by_row ? blocks.rows : blocks.columns;
  if (x > box.grid_size().x || y > box.grid_size().y) return std::nullopt;
  const CoreCoord& start = box.start_coord;
  return CoreRange(start, CoreCoord(start.x + x - 1, start.y + y - 1));
}

std::optional<MatrixShards> matrix_form(const NdShardSpec& shards, const Shape& padded_shape) {
  const std::optional<Blocks> blocks = blocks_of(shards, padded_shape);
  if (!blocks.has_value() || blocks->count() == 0) return std::nullopt;
  const ShardSpec spec(shards.grid, extents_of(blocks->shape), shards.orientation);
  if (shards.shard_distribution_strategy == ShardDistributionStrategy::GRID_2D) {
    if (!cores_of_blocks(spec, *blocks).has_value()) return std::nullopt;
    return MatrixShards{TensorMemoryLayout::BLOCK_SHARDED, spec};
  }
  const auto layout = layout_one_by_one(*blocks, spec);
  if (!layout.has_value()) return std::nullopt;
  return MatrixShards{*layout, spec};
}

std::optional<NdShardSpec> nd_form(const MemoryConfig& memory_config, const Shape& padded_shape) {
  const std::optional<ShardSpec>& spec = memory_config.shard_spec();
  if (!spec.has_value()) return std::nullopt;
  const Shape shard = padded_shape.rank() < 2 ? Shape({spec->shape[1]}) : Shape(spec->shape);
  const bool by_block = memory_config.memory_layout() == TensorMemoryLayout::BLOCK_SHARDED;
  return NdShardSpec{
      shard, spec->grid, spec->orientation,
      by_block ? ShardDistributionStrategy::GRID_2D : ShardDistributionStrategy::ROUND_ROBIN_1D};
}

}  // namespace tt::tt_metal::tensors
