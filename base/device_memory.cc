#include "base/device_memory.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/round.h"
#include "base/status.h"

namespace lightmetal {
namespace {

// The memory from `base` to `size`, of which the last `top` bytes belong to another region.
absl::Status divide(absl::string_view memory, uint64_t base, uint64_t size, uint64_t top,
                    uint32_t alignment, MemoryRegion& lower, MemoryRegion& upper) {
  const uint64_t end = round_down(size, alignment);
  if (base > end || top > end || round_up(base, alignment) > end - round_up(top, alignment)) {
    return absl::InvalidArgumentError(
        absl::StrCat("A region of ", top, " bytes does not fit into ", memory, " of ", size,
                     " bytes, of which the first ", base, " are taken"));
  }
  const uint64_t border = end - round_up(top, alignment);
  lower = {round_up(base, alignment), border};
  upper = {border, end};
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<DeviceMemory> memory_of(const DeviceProfile& profile, uint64_t l1_small_size,
                                       uint64_t trace_region_size) {
  DeviceMemory memory;
  LM_RETURN_IF_ERROR(divide("a DRAM bank", profile.dram_unreserved_base, profile.dram_bank_size,
                            trace_region_size, profile.dram_alignment, memory.dram, memory.trace));
  LM_RETURN_IF_ERROR(divide("the L1", profile.l1_unreserved_base, profile.l1_size, l1_small_size,
                            profile.l1_alignment, memory.l1, memory.l1_small));
  return memory;
}

}  // namespace lightmetal
