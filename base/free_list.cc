#include "base/free_list.h"

#include <algorithm>
#include <iterator>

namespace lightmetal {

FreeList::FreeList(uint64_t begin, uint64_t end) : begin_(begin), end_(std::max(begin, end)) {
  if (begin_ < end_) free_.emplace(begin_, end_ - begin_);
}

void FreeList::take(Blocks::iterator block, uint64_t address, uint64_t size) {
  const auto [block_address, block_size] = *block;
  const uint64_t before = address - block_address;
  const uint64_t after = block_size - before - size;
  if (after != 0) free_.emplace(address + size, after);
  if (before != 0) {
    block->second = before;
  } else {
    free_.erase(block);
  }
  allocated_.emplace(address, size);
  allocated_bytes_ += size;
}

std::optional<uint64_t> FreeList::allocate(uint64_t size, bool bottom_up) {
  if (size == 0) return std::nullopt;
  const auto fits = [size](const auto& block) { return block.second >= size; };
  Blocks::iterator block;
  if (bottom_up) {
    block = std::find_if(free_.begin(), free_.end(), fits);
  } else {
    const auto found = std::find_if(free_.rbegin(), free_.rend(), fits);
    // A reverse iterator's base() is one behind the block that it means.
    block = found == free_.rend() ? free_.end() : std::prev(found.base());
  }
  if (block == free_.end()) return std::nullopt;
  const uint64_t address = bottom_up ? block->first : block->first + block->second - size;
  take(block, address, size);
  return address;
}

bool FreeList::allocate_at(uint64_t address, uint64_t size) {
  if (size == 0) return false;
  auto block = free_.upper_bound(address);
  if (block == free_.begin()) return false;
  --block;
  const uint64_t offset = address - block->first;
  if (offset >= block->second || size > block->second - offset) return false;
  take(block, address, size);
  return true;
}

bool FreeList::free(uint64_t address) {
  const auto allocation = allocated_.find(address);
  if (allocation == allocated_.end()) return false;
  uint64_t size = allocation->second;
  allocated_bytes_ -= size;
  allocated_.erase(allocation);
  const auto next = free_.lower_bound(address);
  if (next != free_.end() && address + size == next->first) {
    size += next->second;
    free_.erase(next);
  }
  const auto after = free_.lower_bound(address);
  if (after != free_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == address) {
      before->second += size;
      return true;
    }
  }
  free_.emplace(address, size);
  return true;
}

bool FreeList::move_begin(uint64_t begin) {
  if (begin > end_ || lowest_allocated().value_or(begin) < begin) return false;
  uint64_t free_end = begin_;  // of what is free at the low end
  if (const auto first = free_.find(begin_); first != free_.end()) {
    free_end += first->second;
    free_.erase(first);
  }
  if (begin < free_end) free_.emplace(begin, free_end - begin);
  begin_ = begin;
  return true;
}

std::optional<uint64_t> FreeList::lowest_allocated() const {
  if (allocated_.empty()) return std::nullopt;
  return allocated_.begin()->first;
}

FreeList::Block FreeList::largest_free() const {
  const auto largest = std::max_element(
      free_.begin(), free_.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (largest == free_.end()) return {};
  return {largest->first, largest->second};
}

std::optional<FreeList::Block> FreeList::overlapping(uint64_t address, uint64_t size) const {
  auto block = allocated_.upper_bound(address);
  if (block != allocated_.begin()) {
    const auto before = std::prev(block);
    if (before->first + before->second > address) block = before;
  }
  if (block == allocated_.end() || (block->first > address && block->first - address >= size))
    return std::nullopt;
  return Block{block->first, block->second};
}

}  // namespace lightmetal
