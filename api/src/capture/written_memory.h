#pragma once

#include <cstdint>
#include <map>
#include <tt-metalium/buffer.hpp>
#include <vector>

#include "api/src/devices/device_impl.h"
#include "api/src/devices/touched_memory.h"
#include "api/src/memory/buffer_io.h"
#include "base/range_set.h"

namespace tt::tt_metal {

using lightmetal::RangeSet;

// What of a device's memory is not zeros, and what of that a snapshot has recorded by buffers. It
// costs what was written: memory that nobody has written is not read. Not thread-safe. REQUIRES:
// nothing runs on the device while this object lives.
class WrittenMemory {
 public:
  // Asks the device. Of one that does not know, the memory of all its buffers counts as written.
  // Throws what asking throws.
  explicit WrittenMemory(const IDevice& device);

  // Returns the pages of the buffer that hold other bytes than zeros, by their numbers. Neighbours
  // of such a page may be among them. Throws what reading throws.
  RangeSet<> pages_of(const BufferLayoutSnapshot& buffer);

  // Takes memory out of rest(): pages of a buffer, both included, or a range.
  void remove_pages(const BufferLayoutSnapshot& buffer, uint64_t first, uint64_t last);
  void remove(const MemoryRange& range);

  // Returns what else programs may use and is not zeros, in ascending order, place by place. Throws
  // what reading throws.
  std::vector<MemoryRange> rest();
  // The same of the memory of one buffer.
  std::vector<MemoryRange> rest_of(const BufferLayoutSnapshot& buffer);

 private:
  void take_buffers(const IDevice& device);
  void add(const lightmetal::device::MemoryPart& part);
  RangeSet<> written_pages(const BufferLayoutSnapshot& buffer) const;
  RangeSet<> written_rows(const BufferLayoutSnapshot& buffer) const;
  void find_pages_with_data(const BufferLayoutSnapshot& buffer, uint64_t first, uint64_t last,
                            RangeSet<>& found);
  void find_ranges_with_data(const MemoryRange& range, std::vector<MemoryRange>& found);
  void add_rest(const MemoryPlace& place, uint64_t first, uint64_t last,
                std::vector<MemoryRange>& found);
  uint64_t base_of(const MemoryPlace& place) const;

  std::shared_ptr<lightmetal::device::Device> backend_;
  std::map<MemoryPlace, RangeSet<>> written_;  // addresses
  std::map<MemoryPlace, RangeSet<>> removed_;
  std::vector<std::byte> bytes_;
};

}  // namespace tt::tt_metal
