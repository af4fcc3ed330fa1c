#include "api/src/devices/touched_memory.h"

#include "base/round.h"

namespace tt::tt_metal {
namespace {

constexpr uint64_t kWord = sizeof(uint32_t);

}  // namespace

void TouchedMemory::add(const MemoryPlace& place, uint64_t address, uint64_t size) {
  if (size == 0) return;
  const uint64_t begin = lightmetal::round_down(address, kWord);
  const uint64_t end = lightmetal::round_up(address + size, kWord);
  lightmetal::MutexLock lock(&mutex_);
  // A range set holds ranges with both ends included.
  touched_[place].add(begin, end - 1);
}

std::vector<MemoryRange> TouchedMemory::ranges() const {
  lightmetal::MutexLock lock(&mutex_);
  std::vector<MemoryRange> ranges;
  for (const auto& [place, touched] : touched_) {
    for (const auto& [begin, rest] : touched.ranges()) {
      ranges.push_back({place, begin, rest.last - begin + 1});
    }
  }
  return ranges;
}

}  // namespace tt::tt_metal
