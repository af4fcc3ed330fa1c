#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <tt-metalium/buffer.hpp>
#include <tt-metalium/shape.hpp>
#include <tt-metalium/shape2d.hpp>
#include <tt-metalium/tensor/spec/layout/alignment.hpp>
#include <tt-metalium/tensor/spec/layout/layout.hpp>
#include <tt-metalium/tensor/spec/layout/page_config.hpp>
#include <tt-metalium/tensor/spec/memory_config/memory_config.hpp>
#include <tt-metalium/tensor/types/data_types.hpp>
#include <tt-metalium/tile.hpp>
#include <tuple>
#include <vector>

namespace tt::tt_metal {

// True unless shards of tiles are no multiples of the tile.
bool can_shard_align(const MemoryConfig& memory_config, const Layout& layout,
                     const Tile& tile = Tile{});

// By how many elements neighbours of each dimension lie apart.
using Strides = std::vector<size_t>;

// How a tensor of any shape is laid out: the type and order of its elements, its memory, and to
// what its dimensions are padded. The tensor is flattened to a matrix, whose width is the last
// dimension and whose height is all others; that matrix, padded, is what a device holds. A value.
// Errors are std::runtime_error.
//
// The default alignment is {1} for rows, {shard width} for rows that shards divide, and the tile's
// shape for tiles. A given alignment is completed by it; one for tiles must be a multiple of it,
// and one for rows becomes the least common multiple. Alignment {1} of rows that are not sharded
// and the strides of both layouts are upstream's, as its tests of 2025 have them. What is said here
// of sharded rows, of padded shapes with more dimensions than the tensor, and of an alignment that
// does not fit is ours: nothing public says it.
//
// <tt-metalium/test_tiles.hpp> of early 2025 has a ::TensorLayout, now ::TensorLayoutType. A
// program that includes both, and is `using namespace tt::tt_metal`, says
// tt::tt_metal::TensorLayout.
class TensorLayout {
 public:
  // Throws for block floats and other data types in an order that they do not have, for shards that
  // are no multiples of their tiles (can_shard_align) or have an extent of 0, and for an alignment
  // that is 0 or no multiple of the tile.
  TensorLayout(DataType dtype, const PageConfig& page_config, const MemoryConfig& memory_config,
               const Alignment& alignment = {});
  // The layout in which tensors of `logical_shape` are padded to `padded_shape`, which has as many
  // dimensions.
  static TensorLayout fromPaddedShape(DataType dtype, const PageConfig& page_config,
                                      const MemoryConfig& memory_config, const Shape& logical_shape,
                                      const Shape& padded_shape);

  Layout get_layout() const { return page_config_.get_layout(); }
  Tile get_tile() const { return page_config_.get_tile(); }
  PageConfig get_page_config() const { return page_config_; }
  DataType get_data_type() const { return dtype_; }
  const MemoryConfig& get_memory_config() const { return memory_config_; }
  const Alignment& get_alignment() const { return alignment_; }
  // The layout that the constructor makes with that memory, from the alignment of this one; from
  // none where this one has its default alignment, which is its own memory's. Throws as the
  // constructor.
  TensorLayout with_memory_config(MemoryConfig memory_config) const;

  // One number for each dimension of the shape. As upstream's they count the padding of rows, and
  // no other padding.
  Strides compute_strides(const Shape& shape) const;
  // The matrix that a tensor is flattened to, without and with its padding, in elements.
  Shape2D compute_logical_2d_shape(const Shape& shape) const;
  Shape2D compute_physical_shape(const Shape& shape) const;
  // The shape whose volume is that of the physical shape. It has as many dimensions as the shape or
  // the alignment, whichever are more. Throws when the padding of a dimension is no whole number of
  // what the dimension counts.
  Shape compute_padded_shape(const Shape& shape) const;

  // Bytes of the whole tensor, and of one page of its buffer.
  size_t compute_packed_buffer_size_bytes(const Shape& shape) const;
  size_t compute_page_size_bytes(const Shape& shape) const;
  // Bytes in each bank when pages are aligned to `page_alignment` bytes. `num_banks` counts for
  // interleaved tensors.
  size_t compute_consumed_memory_bytes_per_bank(const Shape& shape, size_t page_alignment,
                                                size_t num_banks) const;
  // In the banks of an open device.
  size_t compute_consumed_memory_bytes_per_bank(const Shape& shape, const IDevice& device) const;

  // The shape of a page, in elements.
  Shape2D compute_page_shape(const Shape2D& physical_shape) const;
  size_t compute_page_size_bytes(const Shape2D& page_shape) const;
  // The shape of a shard of the matrix. Throw unless the tensor is sharded in two dimensions. The
  // two are the same, because shards are whole tiles.
  Shape2D get_physical_shard_shape() const;
  Shape2D get_logical_shard_shape() const { return get_physical_shard_shape(); }
  // How the buffer of such a tensor is sharded. Throws for shards in more dimensions that are no
  // blocks of the matrix, each on a core of its own: no buffer here is made so.
  BufferShardingArgs compute_buffer_sharding_args(const Shape& shape) const;

  friend bool operator==(const TensorLayout&, const TensorLayout&) = default;

 private:
  friend class TensorSpec;
  // The same with the other form of its shards, which changes no alignment.
  TensorLayout with_derived_form(const MemoryConfig& memory_config) const;

  DataType dtype_;
  PageConfig page_config_;
  MemoryConfig memory_config_;
  Alignment alignment_;
};

}  // namespace tt::tt_metal
