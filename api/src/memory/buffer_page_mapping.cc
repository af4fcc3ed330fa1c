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

// Adds a page to the runs of consecutive pages. REQUIRES: the pages come in ascending order.
void add_page(BufferCorePageMapping& run, uint32_t device_page, uint32_t host_page) {
  if (!run.host_ranges.empty()) {
    BufferCorePageMapping::ContiguousHostPages& last = run.host_ranges.back();
    if (last.device_page_offset + last.num_pages == device_page &&
        last.host_page_start + last.num_pages == host_page) {
      ++last.num_pages;
      return;
    }
  }
  run.host_ranges.push_back({device_page, host_page, 1});
}

// Appends what `run` has of host pages [begin, end), as runs that have no other page of the host.
void add_filtered(std::vector<BufferCorePageMapping>& kept, const BufferCorePageMapping& run,
                  uint32_t begin, uint32_t end) {
  bool goes_on = false;  // the last run of `kept` ends where this range begins, but for padding
  for (const BufferCorePageMapping::ContiguousHostPages& range : run.host_ranges) {
    const uint32_t range_end = range.host_page_start + range.num_pages;
    const uint32_t first = std::max(range.host_page_start, begin), last = std::min(range_end, end);
    if (first >= last) {
      goes_on = false;
      continue;
    }
    const uint32_t device_page =
        run.device_start_page + range.device_page_offset + (first - range.host_page_start);
    if (!goes_on || first != range.host_page_start)
      kept.push_back({.device_start_page = device_page});
    BufferCorePageMapping& into = kept.back();
    const uint32_t offset = device_page - into.device_start_page;
    into.host_ranges.push_back({offset, first, last - first});
    into.num_pages = offset + (last - first);
    goes_on = last == range_end;
  }
}

// Fills the form page by page: for each page of the host its place.
class PageByPage {
 public:
  // `shard` is the shape of what a core has, in pages.
  PageByPage(const std::vector<CoreCoord>& cores, const PageShape& shard, uint32_t num_pages,
             const BankOfCore& bank_of_core)
      : shard_(shard), pages_per_core_(shard[0] * shard[1]), num_pages_(num_pages) {
    mapping_.all_cores_ = cores;
    for (uint32_t core = 0; core < cores.size(); ++core) {
      mapping_.core_bank_indices_.push_back(bank_of_core(cores[core]));
      mapping_.core_to_core_id_.emplace(cores[core], core);
    }
    mapping_.core_host_page_indices_.resize(cores.size());
    mapping_.core_shard_shape_.resize(cores.size(), {0, 0});
    const size_t dev_pages = cores.size() * pages_per_core_;
    mapping_.dev_page_to_host_page_mapping_.resize(dev_pages);
    mapping_.dev_page_to_core_mapping_.reserve(dev_pages);
    for (uint32_t core = 0; core < cores.size(); ++core) {
      mapping_.dev_page_to_core_mapping_.insert(mapping_.dev_page_to_core_mapping_.end(),
                                                pages_per_core_, core);
    }
    mapping_.host_page_to_dev_page_mapping_.resize(num_pages);
    mapping_.host_page_to_local_shard_page_mapping_.resize(num_pages);
  }

  void place(uint32_t core, uint32_t within, uint32_t host_page) {
    // Device pages count the pages of all cores, those that only pad a shard included.
    const uint32_t dev_page = core * pages_per_core_ + within;
    mapping_.core_host_page_indices_[core].push_back(host_page);
    mapping_.dev_page_to_host_page_mapping_[dev_page] = host_page;
    mapping_.host_page_to_dev_page_mapping_[host_page] = dev_page;
    mapping_.host_page_to_local_shard_page_mapping_[host_page] = within;
    PageShape& used = mapping_.core_shard_shape_[core];
    used = {std::max(used[0], within / shard_[1] + 1), std::max(used[1], within % shard_[1] + 1)};
    ++placed_;
  }

  // Adds the form of runs. Throws if a page has no place.
  BufferPageMapping finish(const std::vector<CoreCoord>& all_cores) && {
    TT_FATAL(placed_ == num_pages_, "{} of a buffer's {} pages fit into its shards", placed_,
             num_pages_);
    mapping_.all_cores = all_cores;
    mapping_.core_page_mappings.resize(all_cores.size());
    for (uint32_t core = 0; core < all_cores.size(); ++core) {
      mapping_.core_to_core_id.emplace(all_cores[core], core);
      if (core < mapping_.all_cores_.size()) add_runs(core);
    }
    return std::move(mapping_);
  }

 private:
  void add_runs(uint32_t core) {
    const auto begin = mapping_.dev_page_to_host_page_mapping_.begin() +
                       static_cast<ptrdiff_t>(size_t{core} * pages_per_core_);
    BufferCorePageMapping run{.num_pages = pages_per_core_};
    for (uint32_t page = 0; page < pages_per_core_; ++page) {
      const std::optional<uint32_t>& host_page = begin[page];
      if (host_page.has_value()) add_page(run, page, *host_page);
    }
    if (!run.host_ranges.empty()) mapping_.core_page_mappings[core].push_back(std::move(run));
  }

  BufferPageMapping mapping_;
  const PageShape shard_;
  const uint32_t pages_per_core_;
  const uint32_t num_pages_;
  uint32_t placed_ = 0;
};

}  // namespace

BufferPageMapping make_page_mapping(const ShardSpecBuffer& shards, TensorMemoryLayout layout,
                                    uint32_t num_pages, const BankOfCore& bank_of_core) {
  const std::vector<CoreCoord> cores = corerange_to_cores(
      shards.grid(), std::nullopt, shards.orientation() == ShardOrientation::ROW_MAJOR);
  const auto num_shards = static_cast<uint32_t>(cores.size());
  PageByPage pages(cores, shards.shape_in_pages(), num_pages, bank_of_core);
  const auto place = [&](uint32_t s, uint32_t within, uint32_t page) {
    pages.place(s, within, page);
  };
  if (layout == TensorMemoryLayout::HEIGHT_SHARDED) {
    place_in_order(num_shards, shards.num_pages(), num_pages, place);
  } else {
    place_blocks(num_shards, shards.shape_in_pages(), shards.tensor2d_shape_in_pages, num_pages,
                 place);
  }
  return std::move(pages).finish(cores);
}

BufferPageMapping make_page_mapping(const std::vector<CoreCoord>& cores,
                                    const lightmetal::host::DealtShards& dealt, uint32_t num_pages,
                                    const BankOfCore& bank_of_core) {
  const std::vector<CoreCoord> with_data(
      cores.begin(), cores.begin() + static_cast<ptrdiff_t>(dealt.num_cores_with_data()));
  PageByPage pages(with_data, {static_cast<uint32_t>(dealt.most_pages_on_core()), 1}, num_pages,
                   bank_of_core);
  const auto placed = static_cast<uint32_t>(std::min<uint64_t>(num_pages, dealt.tensor_pages()));
  for (uint32_t page = 0; page < placed; ++page) {
    const auto [core, within] = dealt.place_of(page);
    pages.place(core, static_cast<uint32_t>(within), page);
  }
  return std::move(pages).finish(cores);
}

// ---- Runs of pages ----

BufferCorePageMapping::Iterator& BufferCorePageMapping::Iterator::operator++() {
  ++device_page_offset_;
  skip_past_ranges();
  return *this;
}

void BufferCorePageMapping::Iterator::skip_past_ranges() {
  const std::vector<ContiguousHostPages>& ranges = mapping_->host_ranges;
  while (range_index_ < ranges.size() &&
         ranges[range_index_].device_page_offset + ranges[range_index_].num_pages <=
             device_page_offset_) {
    ++range_index_;
  }
}

std::optional<uint32_t> BufferCorePageMapping::Iterator::operator*() const {
  if (range_index_ >= mapping_->host_ranges.size()) return std::nullopt;
  const ContiguousHostPages& range = mapping_->host_ranges[range_index_];
  if (device_page_offset_ < range.device_page_offset) return std::nullopt;
  return range.host_page_start + (device_page_offset_ - range.device_page_offset);
}

BufferCorePageMapping::Iterator::Range BufferCorePageMapping::Iterator::next_range(
    uint32_t end_device_page_offset) {
  const std::vector<ContiguousHostPages>& ranges = mapping_->host_ranges;
  const bool has_page = range_index_ < ranges.size() &&
                        ranges[range_index_].device_page_offset < end_device_page_offset;
  if (!has_page) {
    device_page_offset_ = std::max(device_page_offset_, end_device_page_offset);
    return {.device_page_offset = device_page_offset_};
  }
  const ContiguousHostPages& range = ranges[range_index_];
  const uint32_t begin = std::max(device_page_offset_, range.device_page_offset);
  const uint32_t end = std::min(range.device_page_offset + range.num_pages, end_device_page_offset);
  device_page_offset_ = end;
  skip_past_ranges();
  return {begin, range.host_page_start + (begin - range.device_page_offset), end - begin};
}

BufferPageMapping::BufferPageMapping(const UncompressedBufferPageMapping& page_mapping)
    : all_cores(page_mapping.all_cores) {
  for (uint32_t core = 0; core < all_cores.size(); ++core) {
    core_to_core_id.emplace(all_cores[core], core);
    const std::vector<uint32_t>& pages = page_mapping.core_host_page_indices[core];
    BufferCorePageMapping run{.num_pages = static_cast<uint32_t>(pages.size())};
    for (uint32_t page = 0; page < pages.size(); ++page) {
      if (pages[page] != UncompressedBufferPageMapping::PADDING) add_page(run, page, pages[page]);
    }
    auto& runs = core_page_mappings.emplace_back();
    if (!run.host_ranges.empty()) runs.push_back(std::move(run));
  }
}

BufferPageMapping BufferPageMapping::filter_by_host_range(uint32_t start_host_page,
                                                          uint32_t end_host_page) const {
  BufferPageMapping result;
  result.all_cores = all_cores;
  result.core_to_core_id = core_to_core_id;
  for (const std::vector<BufferCorePageMapping>& runs : core_page_mappings) {
    auto& kept = result.core_page_mappings.emplace_back();
    for (const BufferCorePageMapping& run : runs) {
      add_filtered(kept, run, start_host_page, end_host_page);
    }
  }
  return result;
}

BufferPageMapping::Iterator& BufferPageMapping::Iterator::operator++() {
  ++host_page_index_;
  skip_empty();
  return *this;
}

void BufferPageMapping::Iterator::skip_empty() {
  while (page_mapping_ != nullptr && core_id_ < page_mapping_->core_page_mappings.size()) {
    if (page_mapping_index_ >= runs().size()) {
      ++core_id_;
      page_mapping_index_ = host_range_index_ = host_page_index_ = 0;
      continue;
    }
    const auto& ranges = runs()[page_mapping_index_].host_ranges;
    if (host_range_index_ >= ranges.size()) {
      ++page_mapping_index_;
      host_range_index_ = host_page_index_ = 0;
    } else if (host_page_index_ >= ranges[host_range_index_].num_pages) {
      ++host_range_index_;
      host_page_index_ = 0;
    } else {
      return;
    }
  }
}

BufferPageMapping::Iterator::value_type BufferPageMapping::Iterator::operator*() const {
  const BufferCorePageMapping& run = runs()[page_mapping_index_];
  const BufferCorePageMapping::ContiguousHostPages& range = run.host_ranges[host_range_index_];
  return {core_id_, run.device_start_page + range.device_page_offset + host_page_index_,
          range.host_page_start + host_page_index_};
}

}  // namespace tt::tt_metal
