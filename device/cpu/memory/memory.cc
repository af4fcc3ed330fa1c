#include "device/cpu/memory/memory.h"

#include <cstring>
#include <utility>

#include "absl/base/dynamic_annotations.h"
#include "base/round.h"
#include "base/status.h"

namespace lightmetal::device::cpu {

absl::StatusOr<Memory> Memory::create(const DeviceProfile& profile) {
  Memory memory;
  memory.columns_ = profile.grid.x;
  memory.workers_ = profile.grid.x * profile.grid.y;
  const uint64_t cores = uint64_t{memory.workers_} + profile.ethernet_cores;
  LM_ASSIGN_OR_RETURN(l1, Mapping::reserve(cores * kL1Stride, kL1Stride));
  for (uint64_t core = 0; core < cores; ++core) {
    const bool worker = core < memory.workers_;
    LM_RETURN_IF_ERROR(
        l1.allow(core * kL1Stride, worker ? profile.l1_size : profile.ethernet_l1_size));
    LM_RETURN_IF_ERROR(l1.allow(core * kL1Stride + kPageCounters, sizeof(PageCountersOfCore)));
  }
  memory.l1_ = std::move(l1);
  memory.banks_ = profile.dram_banks;
  // So that a stripe begins where buffers begin, and a page of kStripe bytes is one piece.
  memory.before_dram_ = -profile.dram_unreserved_base % Place::kStripe;
  const uint64_t dram_size =
      memory.banks_ * round_up(memory.before_dram_ + profile.dram_bank_size, Place::kStripe);
  LM_ASSIGN_OR_RETURN(dram, Mapping::reserve(round_up(dram_size, page_size()), kLargePage));
  LM_RETURN_IF_ERROR(dram.allow(0, dram.size()));
  dram.prefer_large_pages();
  memory.dram_ = std::move(dram);
  return memory;
}

void copy_device_memory(std::byte* target, const std::byte* source, uint64_t size) {
  ABSL_ANNOTATE_IGNORE_READS_AND_WRITES_BEGIN();
  std::memmove(target, source, size);
  ABSL_ANNOTATE_IGNORE_READS_AND_WRITES_END();
}

}  // namespace lightmetal::device::cpu
