#include "schema/semantics/buffer_shards.h"

#include <vector>

namespace lightmetal::schema::semantics {
namespace {

std::vector<uint32_t> shape_of(const flatbuffers::Vector<uint32_t>* extents) {
  if (extents == nullptr) return {};
  return {extents->begin(), extents->end()};
}

}  // namespace

bool has_shards(const BufferCreate& call) {
  if (call.layout() == BufferLayout::NdSharded) return call.distribution() != nullptr;
  return call.layout() == BufferLayout::Interleaved || call.shard() != nullptr;
}

host::ShardSpec spec_of(const ShardSpec& shard, host::CoreSet grid) {
  return {.grid = std::move(grid),
          .height = shard.shape_height(),
          .width = shard.shape_width(),
          .page_height = shard.page_height(),
          .page_width = shard.page_width(),
          .tensor_height = shard.tensor_height_in_pages(),
          .tensor_width = shard.tensor_width_in_pages()};
}

host::Distribution distribution_of(const BufferDistribution& distribution) {
  host::Distribution result{.tensor = shape_of(distribution.tensor_shape()),
                            .shard = shape_of(distribution.shard_shape()),
                            .dealing = static_cast<host::Dealing>(distribution.strategy())};
  if (distribution.cores() == nullptr) return result;
  for (const CoreCoord* core : *distribution.cores()) {
    result.cores.push_back({core->x(), core->y()});
  }
  return result;
}

}  // namespace lightmetal::schema::semantics
