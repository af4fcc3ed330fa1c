#pragma once

#include "lightmetal/noc.h"

// The pages of a tensor as the ranges of its accessor give them. All of this refers to the
// accessor.

namespace tensor_accessor {

class Page {
 public:
  Page(uint64_t noc_addr, uint32_t global_page_id)
      : noc_addr_(noc_addr), global_page_id_(global_page_id) {}

  uint64_t noc_addr() const { return noc_addr_; }
  uint32_t page_id() const { return global_page_id_; }

 private:
  uint64_t noc_addr_;
  uint32_t global_page_id_;
};

template <typename Accessor>
class AccessorPage : public Page {
 public:
  AccessorPage(uint64_t noc_addr, uint32_t global_page_id, const Accessor* accessor,
               uint8_t noc = noc_index)
      : Page(noc_addr, global_page_id), accessor_(accessor), noc_(noc) {}

  const Accessor& accessor() const { return *accessor_; }
  // By the name of mid-2025.
  uint64_t get_noc_addr(uint32_t offset = 0) const { return noc_addr() + offset; }

 private:
  const Accessor* accessor_;
  uint8_t noc_;
};

template <typename Accessor>
class ShardPage : public AccessorPage<Accessor> {
 public:
  ShardPage(uint64_t noc_addr, uint32_t global_page_id, const Accessor* accessor, uint32_t shard_id,
            uint32_t page_in_shard, uint8_t noc = noc_index)
      : AccessorPage<Accessor>(noc_addr, global_page_id, accessor, noc),
        shard_id_(shard_id),
        page_in_shard_(page_in_shard) {}

  uint32_t shard_id() const { return shard_id_; }
  uint32_t page_in_shard() const { return page_in_shard_; }

 private:
  uint32_t shard_id_;
  uint32_t page_in_shard_;
};

}  // namespace tensor_accessor

namespace lightmetal::kernel {

// Walks over a range, which has position_from(i), the first position at or behind i that holds a
// page, and page_at(i).
template <typename Range>
class PageIterator {
 public:
  using value_type = typename Range::value_type;
  using difference_type = std::ptrdiff_t;

  PageIterator(const Range& range, uint32_t position)
      : range_(range), position_(range_.position_from(position)) {}

  value_type operator*() const { return range_.page_at(position_); }
  // Holds the page as long as the expression that asks for it.
  struct Held {
    value_type page;
    const value_type* operator->() const { return &page; }
  };
  Held operator->() const { return {**this}; }
  uint32_t page_id() const { return (**this).page_id(); }

  PageIterator& operator++() {
    position_ = range_.position_from(position_ + 1);
    return *this;
  }
  PageIterator operator++(int) {
    const PageIterator before = *this;
    ++*this;
    return before;
  }
  PageIterator& operator+=(difference_type steps) {
    for (; steps > 0; --steps) ++*this;
    return *this;
  }
  PageIterator operator+(difference_type steps) const { return PageIterator(*this) += steps; }
  value_type operator[](difference_type n) const { return *(*this + n); }

  bool operator==(const PageIterator& other) const { return position_ == other.position_; }
  bool operator!=(const PageIterator& other) const { return position_ != other.position_; }
  bool operator<(const PageIterator& other) const { return position_ < other.position_; }
  bool operator>(const PageIterator& other) const { return position_ > other.position_; }
  bool operator<=(const PageIterator& other) const { return position_ <= other.position_; }
  bool operator>=(const PageIterator& other) const { return position_ >= other.position_; }

 private:
  Range range_;
  uint32_t position_;
};

}  // namespace lightmetal::kernel

namespace tensor_accessor {

template <typename Accessor>
class Pages {
 public:
  using value_type = AccessorPage<Accessor>;
  using iterator = lightmetal::kernel::PageIterator<Pages>;
  using const_iterator = iterator;

  Pages(const Accessor& accessor, uint32_t start_page_id, uint32_t end_page_id,
        uint8_t noc = noc_index)
      : accessor_(&accessor), start_(start_page_id), end_(end_page_id), noc_(noc) {}

  iterator begin() const { return {*this, start_}; }
  iterator end() const { return {*this, end_}; }
  iterator cbegin() const { return begin(); }
  iterator cend() const { return end(); }

  uint32_t position_from(uint32_t page) const { return page; }
  value_type page_at(uint32_t page) const {
    return {accessor_->get_noc_addr(page, 0, noc_), page, accessor_, noc_};
  }

 private:
  const Accessor* accessor_;
  uint32_t start_;
  uint32_t end_;
  uint8_t noc_;
};

template <typename Accessor>
class ShardPages {
 public:
  using value_type = ShardPage<Accessor>;
  using iterator = lightmetal::kernel::PageIterator<ShardPages>;
  using const_iterator = iterator;

  ShardPages(const Accessor& accessor, uint32_t shard_id, uint32_t start_page_offset,
             uint32_t end_page_offset, uint8_t noc = noc_index)
      : accessor_(&accessor),
        shard_(shard_id),
        start_(start_page_offset),
        end_(end_page_offset),
        noc_(noc) {}

  iterator begin() const { return {*this, start_}; }
  iterator end() const { return {*this, end_}; }
  iterator cbegin() const { return begin(); }
  iterator cend() const { return end(); }

  uint32_t position_from(uint32_t page) const {
    uint32_t id = 0;
    while (page < end_ && !accessor_->page_of_shard(shard_, page, id)) ++page;
    return page < end_ ? page : end_;
  }
  value_type page_at(uint32_t page) const {
    uint32_t id = 0;
    accessor_->page_of_shard(shard_, page, id);
    const uint64_t address =
        accessor_->get_shard_noc_addr(shard_, page * accessor_->get_aligned_page_size(), noc_);
    return {address, id, accessor_, shard_, page, noc_};
  }

 private:
  const Accessor* accessor_;
  uint32_t shard_;
  uint32_t start_;
  uint32_t end_;
  uint8_t noc_;
};

}  // namespace tensor_accessor
