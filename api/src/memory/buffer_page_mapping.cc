#include "api/src/memory/buffer_page_mapping.h"

#include <algorithm>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/math.hpp>

namespace tt::tt_metal {
namespace {

using PageShape = std::array<uint32_t, 2>;  // {height, width} in pages

// Calls `place(shard, page within the shard, host page)` for the pages of a height sharded buffer.
template <typename Place>
void place_in_order(uint32_t num_shards, uint32_t pages_per_shard, uint32_t num_pages,
                    const Place& place) {
  const auto capacity =
      static_cast<uint32_t>(std::min<uint64_t>(num_pages, uint64_t{num_shards} * pages_per_shard));
  for (uint32_t page = 0; page < capacity; ++page)
    place(page / pages_per_shard, page % pages_per_shard, page);
}

// The same for a buffer that is cut into blocks of a tensor. Places are computed in 64 bits,
// because products of 32-bit extents may need more than 32.
template <typename Place>
void place_blocks(uint32_t num_shards, const PageShape& shard, const PageShape& tensor,
                  uint32_t num_pages, const Place& place) {
  const uint32_t blocks_in_row = div_up(tensor[1], shard[1]);
  for (uint32_t s = 0; s < num_shards && blocks_in_row != 0; ++s) {
    const uint64_t first_row = uint64_t{s / blocks_in_row} * shard[0],
                   first_column = uint64_t{s % blocks_in_row} * shard[1];
    const uint64_t end_row = std::min<uint64_t>(first_row + shard[0], tensor[0]);
    const uint64_t end_column = std::min<uint64_t>(first_column + shard[1], tensor[1]);
    for (uint64_t row = first_row; row < end_row; ++row) {
      for (uint64_t column = first_column; column < end_column; ++column) {
        const uint64_t page = row * tensor[1] + column;
        const uint64_t within = (row - first_row) * shard[1] + (column - first_column);
        if (page < num_pages) place(s, static_cast<uint32_t>(within), static_cast<uint32_t>(page));
      }
    }
  }
}

BufferPageMapping empty_mapping(const ShardSpecBuffer& shards, uint32_t num_pages,
                                const std::function<uint32_t(const CoreCoord&)>& bank_of_core) {
  BufferPageMapping mapping;
  mapping.all_cores_ = corerange_to_cores(shards.grid(), std::nullopt,
                                          shards.orientation() == ShardOrientation::ROW_MAJOR);
  const std::size_t num_shards = mapping.all_cores_.size();
  for (uint32_t s = 0; s < num_shards; ++s) {
    mapping.core_bank_indices_.push_back(bank_of_core(mapping.all_cores_[s]));
    mapping.core_to_core_id_.emplace(mapping.all_cores_[s], s);
  }
  const uint32_t pages_per_shard = shards.num_pages();
  mapping.core_host_page_indices_.resize(num_shards);
  mapping.core_shard_shape_.resize(num_shards, {0, 0});
  mapping.dev_page_to_host_page_mapping_.resize(num_shards * pages_per_shard);
  mapping.dev_page_to_core_mapping_.reserve(num_shards * pages_per_shard);
  for (uint32_t s = 0; s < num_shards; ++s) {
    mapping.dev_page_to_core_mapping_.insert(mapping.dev_page_to_core_mapping_.end(),
                                             pages_per_shard, s);
  }
  mapping.host_page_to_dev_page_mapping_.resize(num_pages);
  mapping.host_page_to_local_shard_page_mapping_.resize(num_pages);
  return mapping;
}

}  // namespace

BufferPageMapping make_page_mapping(const ShardSpecBuffer& shards, TensorMemoryLayout layout,
                                    uint32_t num_pages,
                                    const std::function<uint32_t(const CoreCoord&)>& bank_of_core) {
  BufferPageMapping mapping = empty_mapping(shards, num_pages, bank_of_core);
  const auto num_shards = static_cast<uint32_t>(mapping.all_cores_.size());
  const PageShape shard = shards.shape_in_pages();
  const uint32_t pages_per_shard = shards.num_pages();
  uint32_t placed = 0;
  const auto place = [&](uint32_t s, uint32_t within, uint32_t host_page) {
    // Device pages count the pages of all shards, those that only pad a shard included.
    const uint32_t dev_page = s * pages_per_shard + within;
    mapping.core_host_page_indices_[s].push_back(host_page);
    mapping.dev_page_to_host_page_mapping_[dev_page] = host_page;
    mapping.host_page_to_dev_page_mapping_[host_page] = dev_page;
    mapping.host_page_to_local_shard_page_mapping_[host_page] = within;
    PageShape& used = mapping.core_shard_shape_[s];
    used = {std::max(used[0], within / shard[1] + 1), std::max(used[1], within % shard[1] + 1)};
    ++placed;
  };
  if (layout == TensorMemoryLayout::HEIGHT_SHARDED) {
    place_in_order(num_shards, pages_per_shard, num_pages, place);
  } else {
    place_blocks(num_shards, shard, shards.tensor2d_shape_in_pages, num_pages, place);
  }
  TT_FATAL(placed == num_pages, "{} of a buffer's {} pages fit into its shards", placed, num_pages);
  return mapping;
}

}  // namespace tt::tt_metal
