#pragma once

#include <atomic>
#include <cstdint>

namespace tt::tt_metal {

// The next id of an object of this kind: unique in the process within the kind, never 0.
template <class Kind>
uint64_t next_unique_id() {
  static std::atomic<uint64_t> last = 0;
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace tt::tt_metal
