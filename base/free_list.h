#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace lightmetal {

// Which parts of the addresses [begin, end) are taken. First fit; deterministic. Sizes and given
// addresses are multiples of the unit that the caller keeps to; begin and end are too. Not
// thread-safe.
class FreeList {
 public:
  struct Block {
    uint64_t address = 0;
    uint64_t size = 0;
  };

  // Empty when end <= begin.
  FreeList(uint64_t begin, uint64_t end);

  uint64_t begin() const { return begin_; }
  uint64_t end() const { return end_; }
  uint64_t size() const { return end_ - begin_; }

  // The low end of the first free block from below that is large enough, or the high end of the
  // first from above. nullopt when there is none.
  std::optional<uint64_t> allocate(uint64_t size, bool bottom_up);
  // Takes exactly these addresses. False, with nothing changed, when not all of them are free.
  bool allocate_at(uint64_t address, uint64_t size);
  // False when no allocation begins there.
  bool free(uint64_t address);

  // The free list begins there from now on. False, with nothing changed, when an allocation begins
  // below or `begin` lies above end().
  bool move_begin(uint64_t begin);

  std::optional<uint64_t> lowest_allocated() const;
  uint64_t allocated_bytes() const { return allocated_bytes_; }
  // The first of the largest; size 0 when nothing is free.
  Block largest_free() const;
  // The allocation with the lowest address among those that overlap the addresses.
  std::optional<Block> overlapping(uint64_t address, uint64_t size) const;

 private:
  using Blocks = std::map<uint64_t, uint64_t>;  // size by address

  // Takes [address, address + size) out of a free block that holds them.
  void take(Blocks::iterator block, uint64_t address, uint64_t size);

  uint64_t begin_;
  uint64_t end_;
  uint64_t allocated_bytes_ = 0;
  Blocks free_;  // no two touch
  Blocks allocated_;
};

}  // namespace lightmetal
