#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "base/mutex.h"
#include "base/range_set.h"
#include "host/memory_place.h"

namespace tt::tt_metal {

using lightmetal::host::MemoryPlace;

struct MemoryRange {
  MemoryPlace place;
  uint64_t begin = 0;  // a multiple of 4, as is the size
  uint64_t size = 0;   // bytes
};

// The memory of a device that its program has read or written by address rather than by buffer. A
// capture that begins later records what lies there, because no object says that the memory is in
// use. Ranges are rounded to whole words and joined where they touch. Thread-safe.
class TouchedMemory {
 public:
  void add(const MemoryPlace& place, uint64_t address, uint64_t size);

  // The ranges in ascending order, place by place.
  std::vector<MemoryRange> ranges() const;

 private:
  mutable lightmetal::Mutex mutex_;
  std::map<MemoryPlace, lightmetal::RangeSet<>> touched_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tt::tt_metal
