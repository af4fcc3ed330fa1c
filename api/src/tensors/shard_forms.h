#pragma once

#include <cstddef>
#include <optional>
#include <tt-metalium/buffer.hpp>
#include <tt-metalium/buffer_types.hpp>
#include <tt-metalium/shape.hpp>
#include <tt-metalium/shape2d.hpp>
#include <tt-metalium/tensor/spec/memory_config/memory_config.hpp>
#include <tt-metalium/tensor/types/data_types.hpp>

// Shards in all dimensions of a tensor, and the blocks of its matrix that some of them are.
namespace tt::tt_metal::tensors {

// A matrix, divided into blocks of one shape, which are counted row by row.
struct Blocks {
  Shape2D shape;  // of a block, in elements
  size_t rows;    // how many there are
  size_t columns;

  size_t count() const { return rows * columns; }
};

Blocks blocks_of(const Shape2D& matrix, const Shape2D& block);

// The blocks that shards of a padded tensor are in its matrix, in the shards' order; none when a
// shard is no block.
std::optional<Blocks> blocks_of(const NdShardSpec& shards, const Shape& padded_shape);

struct MatrixShards {
  TensorMemoryLayout layout;
  ShardSpec spec;
};

// The same shards on the same cores in the other form; none when it has no such form.
std::optional<MatrixShards> matrix_form(const NdShardSpec& shards, const Shape& padded_shape);
std::optional<NdShardSpec> nd_form(const MemoryConfig& memory_config, const Shape& padded_shape);

// The part of a grid for block-sharded tensors that holds the blocks: as many rows and columns of
// cores as there are of blocks; the other way round for COL_MAJOR. None when the grid is not one
// rectangle that has them.
std::optional<CoreRange> cores_of_blocks(const ShardSpec& spec, const Blocks& blocks);

}  // namespace tt::tt_metal::tensors
