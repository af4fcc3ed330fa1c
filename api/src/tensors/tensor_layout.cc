#include <algorithm>
#include <limits>
#include <numeric>
#include <tt-metalium/allocator.hpp>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/device.hpp>
#include <tt-metalium/math.hpp>
#include <tt-metalium/tensor/spec/layout/tensor_layout.hpp>
#include <utility>

#include "api/src/tensors/element_size.h"
#include "api/src/tensors/padding.h"
#include "api/src/tensors/shard_forms.h"

namespace tt::tt_metal {
namespace {

// To what all memories of all devices are aligned, in bytes.
constexpr size_t kCommonAlignment = 64;

// The rows of a shard where shards divide them, or may; none for others.
std::optional<uint32_t> width_of_shards(const MemoryConfig& config) {
  if (config.created_with_nd_shard_spec()) return config.nd_shard_spec()->shard_shape[-1];
  if (config.shard_spec().has_value()) return config.shard_spec()->shape[1];
  return std::nullopt;
}

Alignment default_alignment(const PageConfig& page, const MemoryConfig& memory) {
  if (page.get_layout() == Layout::TILE) {
    return Alignment({page.get_tile().get_height(), page.get_tile().get_width()});
  }
  return Alignment({width_of_shards(memory).value_or(1)});
}

// `given` where it is, `standard` elsewhere; both count from the right.
Alignment completed(const Alignment& given, const Alignment& standard, Layout layout) {
  const size_t dims = std::max(given.size(), standard.size());
  Alignment result{Alignment::Container(dims, 1)};
  for (int back = 1; back <= static_cast<int>(dims); ++back) {
    const uint32_t least = back <= static_cast<int>(standard.size()) ? standard[-back] : 1;
    const uint32_t asked = back <= static_cast<int>(given.size()) ? given[-back] : least;
    TT_FATAL(asked != 0, "An alignment cannot be 0: {}", given);
    TT_FATAL(layout != Layout::TILE || asked % least == 0,
             "Alignment {} does not fit tiles, which need {}", given, standard);
    const uint64_t both = std::lcm(uint64_t{asked}, uint64_t{least});
    TT_FATAL(both <= std::numeric_limits<uint32_t>::max(),
             "Alignment {} is too large for one of {}: they meet at {}", given, standard, both);
    result[-back] = static_cast<uint32_t>(both);
  }
  return result;
}

void check_elements(DataType dtype, Layout layout) {
  TT_FATAL(dtype != DataType::INVALID && dtype != DataType::FP8_E4M3,
           "There are no tensors of {} here", dtype);
  TT_FATAL(!is_block_float(dtype) || layout == Layout::TILE,
           "Tensors of {} are in tiles: it has no {} layout", dtype, layout);
}

void check_shards(const MemoryConfig& config) {
  if (!config.is_sharded()) return;
  if (config.created_with_nd_shard_spec()) {
    const Shape& shard = config.nd_shard_spec()->shard_shape;
    TT_FATAL(!shard.empty() && shard.volume() != 0, "A shard of {} holds nothing", shard);
    return;
  }
  TT_FATAL(config.shard_spec().has_value(), "{} needs a shard specification", config);
  TT_FATAL(config.shard_spec()->numel() != 0, "{} has shards that hold nothing", config);
  TT_FATAL(config.shard_spec()->mode == ShardMode::PHYSICAL,
           "Shards of tensors count padding: ShardMode::LOGICAL is not supported");
}

// A buffer counts blocks row by row, and gives them to its cores one by one. So the cores of a grid
// that hold no block are left out.
ShardSpec on_used_cores(ShardSpec spec, const Shape2D& matrix) {
  const tensors::Blocks blocks = tensors::blocks_of(matrix, Shape2D(spec.shape));
  if (blocks.count() == 0) return spec;
  const auto used = tensors::cores_of_blocks(spec, blocks);
  TT_FATAL(used.has_value(), "{}x{} shards do not fit the grid {} as a block", blocks.rows,
           blocks.columns, spec.grid);
  spec.grid = CoreRangeSet(*used);
  return spec;
}

// How the pages of the tensor are distributed, if the configuration has shards in all dimensions.
std::optional<BufferDistributionSpec> distribution_of(const MemoryConfig& config,
                                                      const Shape& padded, const Shape2D& page) {
  if (!config.nd_shard_spec().has_value()) return std::nullopt;
  const NdShardSpec& shards = *config.nd_shard_spec();
  return BufferDistributionSpec::from_shard_spec(padded, shards.shard_shape, page, shards.grid,
                                                 shards.orientation,
                                                 shards.shard_distribution_strategy);
}

}  // namespace

PageConfig::PageConfig(Layout layout, const std::optional<Tile>& tile) {
  TT_FATAL(layout != Layout::INVALID, "A page has a layout");
  if (layout == Layout::TILE) config_ = TilePageConfig{tile.value_or(Tile())};
}

Layout PageConfig::get_layout() const {
  return std::holds_alternative<TilePageConfig>(config_) ? Layout::TILE : Layout::ROW_MAJOR;
}

Tile PageConfig::get_tile() const {
  const auto* tiles = std::get_if<TilePageConfig>(&config_);
  return tiles != nullptr ? tiles->tile : Tile();
}

Alignment PageConfig::get_recommended_shard_shape_alignment(DataType dtype) const {
  if (get_layout() == Layout::TILE) {
    return Alignment({get_tile().get_height(), get_tile().get_width()});
  }
  return Alignment({static_cast<uint32_t>(kCommonAlignment / tensors::element_size(dtype))});
}

std::ostream& operator<<(std::ostream& os, const Alignment& alignment) {
  os << "Alignment([";
  for (size_t i = 0; i < alignment.size(); ++i) {
    os << (i == 0 ? "" : ", ") << alignment.view()[i];
  }
  return os << "])";
}

bool can_shard_align(const MemoryConfig& memory_config, const Layout& layout, const Tile& tile) {
  if (layout != Layout::TILE || !memory_config.is_sharded()) return true;
  const auto fits = [&](uint32_t height, uint32_t width) {
    return height % tile.get_height() == 0 && width % tile.get_width() == 0;
  };
  if (memory_config.created_with_nd_shard_spec()) {
    const Shape& shard = memory_config.nd_shard_spec()->shard_shape;
    return fits(shard.rank() < 2 ? 1 : shard[-2], shard[-1]);
  }
  const auto& spec = memory_config.shard_spec();
  return !spec.has_value() || fits(spec->shape[0], spec->shape[1]);
}

TensorLayout::TensorLayout(DataType dtype, const PageConfig& page_config,
                           const MemoryConfig& memory_config, const Alignment& alignment)
    : dtype_(dtype), page_config_(page_config), memory_config_(memory_config) {
  check_elements(dtype, get_layout());
  check_shards(memory_config);
  TT_FATAL(can_shard_align(memory_config, get_layout(), get_tile()),
           "Shards of tiles must be multiples of the tile of {}x{}: {}", get_tile().get_height(),
           get_tile().get_width(), memory_config);
  alignment_ = completed(alignment, default_alignment(page_config, memory_config), get_layout());
}

TensorLayout TensorLayout::fromPaddedShape(DataType dtype, const PageConfig& page_config,
                                           const MemoryConfig& memory_config,
                                           const Shape& logical_shape, const Shape& padded_shape) {
  TT_FATAL(logical_shape.rank() == padded_shape.rank(),
           "A tensor of {} cannot be padded to {}: the dimensions differ in number", logical_shape,
           padded_shape);
  Alignment alignment{padded_shape.view()};
  // Further left the rows of all dimensions are aligned together.
  for (int back = 3; back <= static_cast<int>(alignment.size()); ++back) {
    alignment[-back] *= alignment[-back + 1];
  }
  return TensorLayout(dtype, page_config, memory_config, alignment);
}

TensorLayout TensorLayout::with_memory_config(MemoryConfig memory_config) const {
  const bool none_was_given = alignment_ == default_alignment(page_config_, memory_config_);
  return TensorLayout(dtype_, page_config_, memory_config,
                      none_was_given ? Alignment() : alignment_);
}

TensorLayout TensorLayout::with_derived_form(const MemoryConfig& memory_config) const {
  TensorLayout result = *this;
  result.memory_config_ = memory_config;
  return result;
}

Strides TensorLayout::compute_strides(const Shape& shape) const {
  Strides strides(shape.rank(), 1);
  size_t stride = compute_physical_shape(shape).width();
  for (size_t i = shape.rank(); i > 1; --i) {
    strides[i - 2] = stride;
    stride *= shape.view()[i - 2];
  }
  return strides;
}

Shape2D TensorLayout::compute_logical_2d_shape(const Shape& shape) const {
  return tensors::Padding(shape, alignment_).logical();
}

Shape2D TensorLayout::compute_physical_shape(const Shape& shape) const {
  return tensors::Padding(shape, alignment_).physical();
}

Shape TensorLayout::compute_padded_shape(const Shape& shape) const {
  return tensors::Padding(shape, alignment_).padded_shape();
}

Shape2D TensorLayout::compute_page_shape(const Shape2D& physical_shape) const {
  if (get_layout() == Layout::TILE) return Shape2D(get_tile().get_tile_shape());
  return {1, width_of_shards(memory_config_).value_or(physical_shape.width())};
}

size_t TensorLayout::compute_page_size_bytes(const Shape& shape) const {
  return compute_page_size_bytes(compute_page_shape(compute_physical_shape(shape)));
}

size_t TensorLayout::compute_page_size_bytes(const Shape2D& page_shape) const {
  if (get_layout() == Layout::TILE) {
    return get_tile().get_tile_size(datatype_to_dataformat_converter(dtype_));
  }
  return page_shape.width() * tensors::element_size(dtype_);
}

size_t TensorLayout::compute_packed_buffer_size_bytes(const Shape& shape) const {
  const Shape2D physical = compute_physical_shape(shape);
  if (physical.height() == 0 || physical.width() == 0) return 0;
  const Shape2D page = compute_page_shape(physical);
  const size_t pages = physical.height() / page.height() * (physical.width() / page.width());
  return pages * compute_page_size_bytes(page);
}

size_t TensorLayout::compute_consumed_memory_bytes_per_bank(const Shape& shape,
                                                            size_t page_alignment,
                                                            size_t num_banks) const {
  const size_t page_size = compute_page_size_bytes(shape);
  const size_t size = compute_packed_buffer_size_bytes(shape);
  if (size == 0) return 0;
  const BufferShardingArgs args = compute_buffer_sharding_args(shape);
  size_t pages = tt::div_up(size / page_size, num_banks);
  if (args.shard_spec().has_value()) pages = args.shard_spec()->num_pages();
  if (const auto& distribution = args.buffer_distribution_spec(); distribution.has_value())
    pages = distribution->max_num_dev_pages_per_core();
  return pages * tt::round_up(page_size, page_alignment);
}

size_t TensorLayout::compute_consumed_memory_bytes_per_bank(const Shape& shape,
                                                            const IDevice& device) const {
  const BufferType memory = memory_config_.buffer_type();
  const Allocator& allocator = *device.allocator();
  return compute_consumed_memory_bytes_per_bank(shape, allocator.get_alignment(memory),
                                                allocator.get_num_banks(memory));
}

Shape2D TensorLayout::get_physical_shard_shape() const {
  TT_FATAL(memory_config_.shard_spec().has_value(), "{} has no shards in two dimensions",
           memory_config_);
  return Shape2D(memory_config_.shard_spec()->shape);
}

BufferShardingArgs TensorLayout::compute_buffer_sharding_args(const Shape& shape) const {
  if (!memory_config_.is_sharded()) return {};
  const Shape2D physical = compute_physical_shape(shape);
  const Shape2D page = compute_page_shape(physical);
  const Shape2D pages(tt::div_up(physical.height(), page.height()),
                      tt::div_up(physical.width(), page.width()));
  auto distribution = distribution_of(memory_config_, compute_padded_shape(shape), page);
  std::optional<ShardSpecBuffer> shards;
  if (const std::optional<ShardSpec>& spec = memory_config_.shard_spec(); spec.has_value()) {
    const bool by_block = memory_config_.memory_layout() == TensorMemoryLayout::BLOCK_SHARDED;
    shards.emplace(by_block ? on_used_cores(*spec, physical) : *spec, page, pages);
  }
  return {std::move(distribution), std::move(shards), memory_config_.memory_layout()};
}

}  // namespace tt::tt_metal
