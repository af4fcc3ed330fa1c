#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "base/mutex.h"
#include "base/range_set.h"

namespace tt::tt_metal {

// One bank or one core's memory on a device.
struct MemoryPlace {
  enum class Kind : uint8_t { kDram, kL1, kEthernetL1 };

  Kind kind = Kind::kDram;
  uint32_t x = 0;  // the DRAM bank, or the core's logical coordinate
  uint32_t y = 0;

  friend auto operator<=>(const MemoryPlace&, const MemoryPlace&) = default;
};

struct MemoryRange {
  MemoryPlace place;
  uint64_t begin = 0;  // a multiple of 4, as is the size
  uint64_t size = 0;   // bytes
};

// The memory of a device that its program has read or written by address rather than by buffer: a
// capture that begins later has to know what lies there. Ranges are rounded to whole words and
// joined where they touch. Thread-safe.
class TouchedMemory {
 public:
  void add(const MemoryPlace& place, uint64_t address, uint64_t size);

  // In ascending order.
  std::vector<MemoryRange> ranges() const;

 private:
  mutable lightmetal::Mutex mutex_;
  std::map<MemoryPlace, lightmetal::RangeSet<>> touched_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tt::tt_metal
