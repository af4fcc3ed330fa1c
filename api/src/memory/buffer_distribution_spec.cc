#include <algorithm>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/buffer_distribution_spec.hpp>
#include <tt-metalium/math.hpp>

#include "api/src/objects/host_objects.h"
#include "api/src/support/errors.h"
#include "host/distribution.h"

namespace tt::tt_metal {
namespace {

namespace host = lightmetal::host;

// The extents of a tensor and of its shard along one dimension.
struct Extents {
  uint32_t tensor;
  uint32_t shard;
};
using Dimensions = std::vector<Extents>;

uint32_t checked_extent(uint64_t extent, const Shape& shape) {
  TT_FATAL(extent <= std::numeric_limits<uint32_t>::max(), "Too many pages: {}", shape);
  return static_cast<uint32_t>(extent);
}

// Dimensions that the shard lacks are folded into its first one, and those that the tensor lacks
// are 1 in it.
Dimensions dimensions_of(const Shape& tensor, const Shape& shard) {
  Dimensions dimensions;
  for (const uint32_t extent : shard.view()) dimensions.push_back({1, extent});
  const size_t more = std::max(tensor.rank(), shard.rank()) - shard.rank();
  for (size_t i = more; i < tensor.rank(); ++i) {
    dimensions[shard.rank() + i - tensor.rank()].tensor = tensor.view()[i];
  }
  for (size_t i = 0; i < more && !dimensions.empty(); ++i) {
    dimensions[0].tensor =
        checked_extent(uint64_t{dimensions[0].tensor} * tensor.view()[i], tensor);
  }
  return dimensions;
}

// One dimension can stand for two if shards take the inner one whole, or have one page of the outer
// one and no padding in the inner one.
bool can_merge(const Extents& outer, const Extents& inner) {
  if (inner.tensor == inner.shard) return true;
  if (outer.shard != 1) return false;
  return outer.tensor == 1 || (inner.shard != 0 && inner.tensor % inner.shard == 0);
}

Dimensions squeezed(const Dimensions& dimensions, const Shape& tensor) {
  Dimensions result;
  for (const Extents& inner : dimensions) {
    if (result.empty() || !can_merge(result.back(), inner)) {
      result.push_back(inner);
      continue;
    }
    Extents& outer = result.back();
    outer.tensor = checked_extent(uint64_t{outer.tensor} * inner.tensor, tensor);
    outer.shard = checked_extent(uint64_t{outer.shard} * inner.shard, tensor);
  }
  return result;
}

Shape tensor_of(const Dimensions& dimensions) {
  Shape::Container extents;
  for (const Extents& each : dimensions) extents.push_back(each.tensor);
  return Shape(std::move(extents));
}

Shape shard_of(const Dimensions& dimensions) {
  Shape::Container extents;
  for (const Extents& each : dimensions) extents.push_back(each.shard);
  return Shape(std::move(extents));
}

// In elements, with at least two dimensions, to pages.
Shape in_pages(const Shape& shape, const Shape2D& page, const char* what) {
  Shape pages = shape.to_rank(std::max<size_t>(shape.rank(), 2));
  const uint32_t height = pages[-2], width = pages[-1];
  TT_FATAL(page.height() != 0 && page.width() != 0 && height % page.height() == 0 &&
               width % page.width() == 0,
           "The {} {} cannot be divided into pages of {}x{}", what, shape, page.height(),
           page.width());
  pages[-2] = height / static_cast<uint32_t>(page.height());
  pages[-1] = width / static_cast<uint32_t>(page.width());
  return pages;
}

// The part of a rectangle of cores that has the shards: as many columns as there are shards along
// the last dimension; the other way round for COL_MAJOR.
CoreRangeSet cores_with_block(const Shape& tensor, const Shape& shard, const CoreRangeSet& grid,
                              ShardOrientation orientation) {
  const Dimensions dimensions = dimensions_of(tensor, shard);
  uint64_t rows = 1, columns = 1;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const auto [extent, in_shard] = dimensions[i];
    TT_FATAL(in_shard != 0, "A shard of {} pages holds nothing", shard);
    (i + 1 == dimensions.size() ? columns : rows) *= tt::div_up(extent, in_shard);
  }
  if (rows == 0 || columns == 0) return grid;
  const CoreRange box = grid.bounding_box();
  if (orientation == ShardOrientation::COL_MAJOR) std::swap(rows, columns);
  TT_FATAL(
      box.size() == grid.num_cores() && columns <= box.grid_size().x && rows <= box.grid_size().y,
      "GRID_2D needs a rectangle of at least {}x{} cores, and not {}", columns, rows, grid);
  const CoreCoord& start = box.start_coord;
  return CoreRange(start, CoreCoord(start.x + columns - 1, start.y + rows - 1));
}

std::vector<CoreCoord> core_list(const Shape& tensor, const Shape& shard, const CoreRangeSet& grid,
                                 ShardOrientation orientation, ShardDistributionStrategy strategy) {
  TT_FATAL(!grid.empty(), "Shards need cores, but the grid is empty");
  const bool by_row = orientation == ShardOrientation::ROW_MAJOR;
  if (strategy != ShardDistributionStrategy::GRID_2D)
    return corerange_to_cores(grid, std::nullopt, by_row);
  return corerange_to_cores(cores_with_block(tensor, shard, grid, orientation), std::nullopt,
                            by_row);
}

CoreRangeSet set_of(std::vector<CoreCoord>::const_iterator begin,
                    std::vector<CoreCoord>::const_iterator end) {
  return CoreRangeSet(std::vector<CoreRange>(begin, end)).merge_ranges();
}

host::DealtShards dealt_of(const host::Distribution& distribution) {
  absl::StatusOr<host::DealtShards> dealt = host::DealtShards::of(distribution);
  throw_if_error(dealt.status());
  return *std::move(dealt);
}

host::Distribution distribution_of(const Shape& tensor, const Shape& shard,
                                   const std::vector<CoreCoord>& cores,
                                   ShardDistributionStrategy strategy) {
  host::Distribution distribution{.tensor = {tensor.cbegin(), tensor.cend()},
                                  .shard = {shard.cbegin(), shard.cend()},
                                  .dealing = static_cast<host::Dealing>(strategy)};
  for (const CoreCoord& core : cores) distribution.cores.push_back(host_core(core));
  return distribution;
}

}  // namespace

host::Distribution host_distribution(const BufferDistributionSpec& spec) {
  return distribution_of(spec.tensor_shape_in_pages(), spec.shard_shape_in_pages(), spec.cores(),
                         spec.shard_distribution_strategy());
}

std::pair<Shape, Shape> detail::squeeze_shape_ranks(const Shape& tensor_shape,
                                                    const Shape& shard_shape) {
  const Dimensions dimensions = squeezed(dimensions_of(tensor_shape, shard_shape), tensor_shape);
  return {tensor_of(dimensions), shard_of(dimensions)};
}

UncompressedBufferPageMapping detail::compute_page_mapping(
    const Shape& tensor_shape, const Shape& shard_shape, const std::vector<CoreCoord>& cores,
    ShardDistributionStrategy shard_distribution_strategy) {
  const host::DealtShards dealt =
      dealt_of(distribution_of(tensor_shape, shard_shape, cores, shard_distribution_strategy));
  constexpr uint32_t kPadding = UncompressedBufferPageMapping::PADDING;
  UncompressedBufferPageMapping mapping{.all_cores = cores};
  mapping.core_host_page_indices.assign(
      cores.size(), std::vector<uint32_t>(dealt.most_pages_on_core(), kPadding));
  for (uint32_t page = 0; page < dealt.tensor_pages(); ++page) {
    const host::DealtShards::Place place = dealt.place_of(page);
    mapping.core_host_page_indices[place.core][place.page] = page;
  }
  return mapping;
}

BufferDistributionSpec BufferDistributionSpec::from_shard_spec(
    Shape tensor_shape, Shape shard_shape, Shape2D page_shape, const CoreRangeSet& core_range_set,
    ShardOrientation shard_orientation, ShardDistributionStrategy shard_distribution_strategy) {
  return BufferDistributionSpec(in_pages(tensor_shape, page_shape, "tensor"),
                                in_pages(shard_shape, page_shape, "shard"), core_range_set,
                                shard_orientation, shard_distribution_strategy);
}

BufferDistributionSpec::BufferDistributionSpec(
    const Shape& tensor_shape_in_pages, const Shape& shard_shape_in_pages,
    const CoreRangeSet& core_range_set, ShardOrientation shard_orientation,
    ShardDistributionStrategy shard_distribution_strategy)
    : BufferDistributionSpec(tensor_shape_in_pages, shard_shape_in_pages,
                             core_list(tensor_shape_in_pages, shard_shape_in_pages, core_range_set,
                                       shard_orientation, shard_distribution_strategy),
                             shard_distribution_strategy) {}

BufferDistributionSpec::BufferDistributionSpec(const Shape& tensor_shape_in_pages,
                                               const Shape& shard_shape_in_pages,
                                               std::vector<CoreCoord> cores)
    : BufferDistributionSpec(tensor_shape_in_pages, shard_shape_in_pages, std::move(cores),
                             ShardDistributionStrategy::ROUND_ROBIN_1D) {}

BufferDistributionSpec::BufferDistributionSpec(
    const Shape& tensor_shape_in_pages, const Shape& shard_shape_in_pages,
    std::vector<CoreCoord> cores, ShardDistributionStrategy shard_distribution_strategy)
    : cores_(std::move(cores)), shard_distribution_strategy_(shard_distribution_strategy) {
  std::tie(tensor_shape_in_pages_, shard_shape_in_pages_) =
      detail::squeeze_shape_ranks(tensor_shape_in_pages, shard_shape_in_pages);
  const host::DealtShards dealt = dealt_of(host_distribution(*this));
  shard_volume_ = dealt.shard_pages();
  num_shards_ = dealt.num_shards();
  init_groups();
}

void BufferDistributionSpec::init_groups() {
  const auto begin = cores_.begin();
  const auto end = begin + static_cast<ptrdiff_t>(std::min(num_shards_, cores_.size()));
  cores_with_data_.assign(begin, end);
  if (begin == end) return;
  const size_t more = num_shards_ % cores_.size();
  const bool has_two = num_shards_ > cores_.size() && more != 0;
  const auto middle = has_two ? begin + static_cast<ptrdiff_t>(more) : end;
  core_groups_ = {set_of(begin, end), set_of(begin, middle), set_of(middle, end),
                  num_shards_per_core(0), has_two ? num_shards_per_core(more) : 0};
}

size_t BufferDistributionSpec::num_shards_per_core(size_t core_idx) const {
  TT_FATAL(core_idx < cores_.size(), "There is no core {} among {}", core_idx, cores_.size());
  return num_shards_ / cores_.size() + (core_idx < num_shards_ % cores_.size() ? 1 : 0);
}

std::tuple<uint32_t, CoreRangeSet, CoreRangeSet, CoreRangeSet, uint32_t, uint32_t>
BufferDistributionSpec::core_groups_tuple() const {
  return {static_cast<uint32_t>(cores_with_data_.size()),
          core_groups_.cores_with_data,
          core_groups_.cores_in_group_1,
          core_groups_.cores_in_group_2,
          static_cast<uint32_t>(core_groups_.num_shards_per_core_in_group_1),
          static_cast<uint32_t>(core_groups_.num_shards_per_core_in_group_2)};
}

std::pair<BufferDistributionSpec::CoreGroup, BufferDistributionSpec::CoreGroup>
BufferDistributionSpec::get_core_groups_by_num_shards() const {
  const size_t in_group_1 = core_groups_.cores_in_group_1.num_cores();
  const auto middle = cores_with_data_.begin() + static_cast<ptrdiff_t>(in_group_1);
  return {{core_groups_.num_shards_per_core_in_group_1, {cores_with_data_.begin(), middle}},
          {core_groups_.num_shards_per_core_in_group_2, {middle, cores_with_data_.end()}}};
}

UncompressedBufferPageMapping BufferDistributionSpec::compute_page_mapping() const {
  return detail::compute_page_mapping(tensor_shape_in_pages_, shard_shape_in_pages_, cores_,
                                      shard_distribution_strategy_);
}

}  // namespace tt::tt_metal
