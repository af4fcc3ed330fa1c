#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <tt-metalium/core_coord.hpp>
#include <unordered_map>
#include <vector>

namespace tt::tt_metal {

// The pages of each core, one number for each page. A plain value.
struct UncompressedBufferPageMapping {
  // Stands for a page on the device that is no page of the host: it pads a shard.
  static constexpr uint32_t PADDING = std::numeric_limits<uint32_t>::max();

  std::vector<CoreCoord> all_cores;
  // Host pages in the order in which the core has them, as many for each core.
  std::vector<std::vector<uint32_t>> core_host_page_indices = {};
};

// Consecutive pages of one core: device pages [device_start_page, device_start_page + num_pages).
// Offsets of pages count from the first of them. A plain value.
struct BufferCorePageMapping {
  // Device pages that hold consecutive host pages.
  struct ContiguousHostPages {
    uint32_t device_page_offset = 0;
    uint32_t host_page_start = 0;
    uint32_t num_pages = 0;
  };

  uint32_t device_start_page = 0;
  uint32_t num_pages = 0;
  std::vector<ContiguousHostPages> host_ranges = {};  // in ascending order; padding is between them

  // Goes through the device pages: yields the host page of each, or nullopt for padding. Must not
  // outlive the mapping.
  struct Iterator {
    using iterator_category = std::forward_iterator_tag;
    using difference_type = std::ptrdiff_t;
    using value_type = std::optional<uint32_t>;
    using Range = ContiguousHostPages;

    Iterator() = default;
    Iterator(const BufferCorePageMapping* mapping, uint32_t device_page_offset,
             uint32_t range_index)
        : mapping_(mapping), device_page_offset_(device_page_offset), range_index_(range_index) {}

    Iterator& operator++();
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    value_type operator*() const;
    uint32_t device_page_offset() const { return device_page_offset_; }

    bool operator==(const Iterator& other) const {
      return device_page_offset_ == other.device_page_offset_;
    }

    // Returns the next run of host pages before `end_device_page_offset`, and moves past it. The
    // run has no pages if only padding is left; the iterator is at the end of the padding then.
    Range next_range(uint32_t end_device_page_offset);

   private:
    void skip_past_ranges();

    const BufferCorePageMapping* mapping_ = nullptr;
    uint32_t device_page_offset_ = 0;
    uint32_t range_index_ = 0;  // of the first range that does not end before the offset
  };

  Iterator begin() const { return Iterator(this, 0, 0); }
  Iterator end() const {
    return Iterator(this, num_pages, static_cast<uint32_t>(host_ranges.size()));
  }
};

// Says where the pages of a sharded buffer are, in two forms. Host pages are the buffer's pages in
// order. A plain value.
struct BufferPageMapping {
  BufferPageMapping() = default;
  // The form of runs alone.
  BufferPageMapping(const UncompressedBufferPageMapping& page_mapping);

  // The part of the runs that holds host pages [start_host_page, end_host_page).
  BufferPageMapping filter_by_host_range(uint32_t start_host_page, uint32_t end_host_page) const;

  // ---- As runs of pages, since June 2025 ----

  std::vector<CoreCoord> all_cores;
  std::unordered_map<CoreCoord, uint32_t> core_to_core_id;             // index into all_cores
  std::vector<std::vector<BufferCorePageMapping>> core_page_mappings;  // by index of the core

  // Goes through the pages of the host that the runs have, core by core. Must not outlive the
  // mapping.
  struct Iterator {
    struct MappedPage {
      uint32_t core_id = 0;
      uint32_t device_page = 0;  // of that core
      uint32_t host_page = 0;
    };

    using iterator_category = std::forward_iterator_tag;
    using difference_type = std::ptrdiff_t;
    using value_type = MappedPage;

    Iterator() = default;
    Iterator(const BufferPageMapping* page_mapping, uint32_t core_id, uint32_t page_mapping_index,
             uint32_t host_range_index, uint32_t host_page_index)
        : page_mapping_(page_mapping),
          core_id_(core_id),
          page_mapping_index_(page_mapping_index),
          host_range_index_(host_range_index),
          host_page_index_(host_page_index) {
      skip_empty();
    }

    Iterator& operator++();
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    value_type operator*() const;

    bool operator==(const Iterator&) const = default;

   private:
    const std::vector<BufferCorePageMapping>& runs() const {
      return page_mapping_->core_page_mappings[core_id_];
    }
    // Moves on while there is no page at this position.
    void skip_empty();

    const BufferPageMapping* page_mapping_ = nullptr;
    uint32_t core_id_ = 0;
    uint32_t page_mapping_index_ = 0;
    uint32_t host_range_index_ = 0;
    uint32_t host_page_index_ = 0;  // within the range
  };

  Iterator begin() const { return Iterator(this, 0, 0, 0, 0); }
  Iterator end() const {
    return Iterator(this, static_cast<uint32_t>(core_page_mappings.size()), 0, 0, 0);
  }

  // ---- Page by page, until June 2025 ----
  //
  // Device pages are those of core after core; among them are pages that only pad a shard and are
  // no host page.

  std::vector<CoreCoord> all_cores_;  // those that hold a page
  std::vector<uint32_t> core_bank_indices_;
  std::vector<std::vector<uint32_t>> core_host_page_indices_;  // without padding
  // index into all_cores_
  std::vector<uint32_t> dev_page_to_core_mapping_;
  std::vector<std::optional<uint32_t>> dev_page_to_host_page_mapping_;
  std::vector<uint32_t> host_page_to_dev_page_mapping_;
  std::unordered_map<CoreCoord, uint32_t> core_to_core_id_;
  std::vector<uint32_t> host_page_to_local_shard_page_mapping_;
  std::vector<std::array<uint32_t, 2>> core_shard_shape_;  // pages in use, {height, width}
};

}  // namespace tt::tt_metal
