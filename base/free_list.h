#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace lightmetal {

// Keeps which parts of the addresses [begin, end) are allocated. Knows no memory, only numbers:
// first fit, deterministic, so that the same calls give the same addresses in a replay. REQUIRES of
// all addresses and sizes, begin and end included: they are multiples of one unit, to which the
// caller keeps. An allocation of no addresses is refused, since it would have no place of its own.
// Not thread-safe.
class FreeList {
 public:
  struct Block {
    uint64_t address = 0;
    uint64_t size = 0;
  };

  // A list without addresses when end <= begin.
  FreeList(uint64_t begin, uint64_t end);

  uint64_t begin() const { return begin_; }
  uint64_t end() const { return end_; }
  uint64_t size() const { return end_ - begin_; }

  // Allocates `size` addresses: at the low end of the first free block from below that is large
  // enough or, with `bottom_up` false, at the high end of the first one from above. Returns where
  // they begin; nullopt when no block is large enough or `size` is 0.
  std::optional<uint64_t> allocate(uint64_t size, bool bottom_up);
  // Allocates exactly these addresses. Returns false, with nothing changed, when not all of them
  // are free or `size` is 0.
  bool allocate_at(uint64_t address, uint64_t size);
  // Gives back the allocation that begins at `address`. Returns false when none begins there.
  bool free(uint64_t address);

  // Lets the list begin at `begin` from now on, above or below where it began. Returns false, with
  // nothing changed, when an allocation begins below `begin` or `begin` lies above end().
  bool move_begin(uint64_t begin);

  // The address of the lowest allocation; nullopt when there is none.
  std::optional<uint64_t> lowest_allocated() const;
  uint64_t allocated_bytes() const { return allocated_bytes_; }
  // The largest free block, the lowest one where several are as large; its size is 0 when nothing
  // is free.
  Block largest_free() const;
  // The allocation with the lowest address among those that overlap [address, address + size).
  std::optional<Block> overlapping(uint64_t address, uint64_t size) const;

 private:
  using Blocks = std::map<uint64_t, uint64_t>;  // size by address

  // Takes [address, address + size) out of a free block that holds them.
  void take(Blocks::iterator block, uint64_t address, uint64_t size);

  uint64_t begin_;
  uint64_t end_;
  uint64_t allocated_bytes_ = 0;
  Blocks free_;  // no two touch: free() joins neighbours
  Blocks allocated_;
};

}  // namespace lightmetal
