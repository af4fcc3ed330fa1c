#include "device/cpu/memory/initialised_memory.h"

#include <cstring>
#include <utility>

#include "absl/base/dynamic_annotations.h"
#include "base/status.h"

namespace lightmetal::device::cpu {

absl::StatusOr<InitialisedMemory> InitialisedMemory::create(const DeviceProfile& profile) {
  InitialisedMemory memory;
  memory.columns_ = profile.grid.x;
  memory.stride_ = (profile.l1_size + page_size() - 1) & -page_size();
  const uint64_t cores = uint64_t{profile.grid.x} * profile.grid.y;
  LM_ASSIGN_OR_RETURN(marks, Mapping::reserve(cores * memory.stride_, page_size()));
  // Memory comes at the first touch, so the marks of L1 that nobody uses take none.
  LM_RETURN_IF_ERROR(marks.allow(0, marks.size()));
  for (uint64_t core = 0; core < cores; ++core) {
    std::memset(marks.data() + core * memory.stride_, 1, profile.l1_unreserved_base);
  }
  memory.marks_ = std::move(marks);
  return memory;
}

std::byte* InitialisedMemory::marks(Core core) const {
  return marks_.data() + (uint64_t{core.y} * columns_ + core.x) * stride_;
}

void mark_initialised(std::byte* marks, uint64_t address, uint64_t size) {
  ABSL_ANNOTATE_IGNORE_WRITES_BEGIN();
  std::memset(marks + address, 1, size);
  ABSL_ANNOTATE_IGNORE_WRITES_END();
}

std::optional<uint64_t> find_uninitialised(const std::byte* marks, uint64_t address,
                                           uint64_t size) {
  ABSL_ANNOTATE_IGNORE_READS_BEGIN();
  const void* found = std::memchr(marks + address, 0, size);
  ABSL_ANNOTATE_IGNORE_READS_END();
  if (found == nullptr) return std::nullopt;
  return static_cast<uint64_t>(static_cast<const std::byte*>(found) - marks);
}

}  // namespace lightmetal::device::cpu
