#include "api/src/touched_memory.h"

#include <algorithm>
#include <iterator>

namespace tt::tt_metal {
namespace {

constexpr uint64_t kWord = sizeof(uint32_t);

}  // namespace

void TouchedMemory::add(const MemoryPlace& place, uint64_t address, uint64_t size) {
  if (size == 0) return;
  uint64_t begin = address / kWord * kWord;
  uint64_t end = (address + size + kWord - 1) / kWord * kWord;
  lightmetal::MutexLock lock(&mutex_);
  Ends& ends = touched_[place];
  auto next = ends.upper_bound(begin);
  if (next != ends.begin() && std::prev(next)->second >= begin) --next;
  if (next != ends.end() && next->first <= begin && next->second >= end) return;
  while (next != ends.end() && next->first <= end) {
    begin = std::min(begin, next->first);
    end = std::max(end, next->second);
    next = ends.erase(next);
  }
  ends.emplace_hint(next, begin, end);
}

std::vector<MemoryRange> TouchedMemory::ranges() const {
  lightmetal::MutexLock lock(&mutex_);
  std::vector<MemoryRange> ranges;
  for (const auto& [place, ends] : touched_) {
    for (const auto& [begin, end] : ends) ranges.push_back({place, begin, end - begin});
  }
  return ranges;
}

}  // namespace tt::tt_metal
