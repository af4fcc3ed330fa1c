#include "host/memory.h"

#include "absl/strings/string_view.h"
#include "base/round.h"
#include "base/status.h"
#include "host/refusal.h"

namespace lightmetal::host {
namespace {

// Divides the memory from `base` to `size`: `upper` gets the last `top` bytes, `lower` the rest.
// The comparisons come before the sums, because a file's profile may hold any number.
absl::Status divide(absl::string_view memory, uint64_t base, uint64_t size, uint64_t top,
                    uint32_t alignment, FreeList& lower, FreeList& upper) {
  const uint64_t end = round_down(size, alignment);
  if (base > end || top > end || round_up(base, alignment) > end - round_up(top, alignment)) {
    return refuse("A region of ", top, " bytes does not fit into ", memory, " of ", size,
                  " bytes, of which the first ", base, " are taken");
  }
  const uint64_t border = end - round_up(top, alignment);
  lower = FreeList(round_up(base, alignment), border);
  upper = FreeList(border, end);
  return absl::OkStatus();
}

}  // namespace

FreeList& Memory::of(BufferType type) {
  switch (type) {
    case BufferType::kL1:
      return l1;
    case BufferType::kL1Small:
      return l1_small;
    case BufferType::kTrace:
      return trace;
    case BufferType::kDram:
    case BufferType::kSystemMemory:
      break;
  }
  return dram;
}

absl::StatusOr<Memory> memory_of(const DeviceProfile& profile, uint64_t l1_small_size,
                                 uint64_t trace_region_size) {
  Memory memory;
  LM_RETURN_IF_ERROR(divide("a DRAM bank", profile.dram_unreserved_base, profile.dram_bank_size,
                            trace_region_size, profile.dram_alignment, memory.dram, memory.trace));
  LM_RETURN_IF_ERROR(divide("the L1", profile.l1_unreserved_base, profile.l1_size, l1_small_size,
                            profile.l1_alignment, memory.l1, memory.l1_small));
  memory.l1_base = memory.l1.begin();
  return memory;
}

Memory Memory::of_sub_device(uint64_t local_l1_size) const {
  Memory memory;
  memory.l1 = FreeList(l1_base, l1_base + local_l1_size);
  memory.l1_base = l1_base;
  return memory;
}

absl::Status Memory::leave_to_sub_devices(uint64_t local_l1_size) {
  if (local_l1_size > l1.end() - l1_base) {
    return refuse("Sub-devices cannot have ", local_l1_size, " B of each bank of L1, which has ",
                  l1.end() - l1_base, " B");
  }
  if (l1.move_begin(l1_base + local_l1_size)) return absl::OkStatus();
  return refuse_now("Sub-devices cannot have the L1 below ", l1_base + local_l1_size,
                    ": a buffer lies at address ", l1.lowest_allocated().value_or(0));
}

absl::Status check_has_no_buffer(uint64_t manager, uint64_t number,
                                 std::optional<uint64_t> lowest) {
  if (!lowest) return absl::OkStatus();
  return refuse_now("Sub-device manager ", manager,
                    " cannot be exchanged: a buffer lies at address ", *lowest,
                    " in the memory of its sub-device ", number);
}

absl::Status allocate_at(FreeList& memory, BufferType type, uint64_t address, uint64_t size,
                         uint32_t alignment) {
  if (address % alignment != 0) {
    return refuse("Address ", address, " of a ", name_of(type), " buffer is not a multiple of ",
                  alignment);
  }
  if (address < memory.begin() || address >= memory.end() || size > memory.end() - address ||
      address > kMaxAddress) {
    return refuse(size, " B at address ", address, " lie outside the memory of ", name_of(type),
                  " buffers, [", memory.begin(), ", ", memory.end(), ")");
  }
  // The rounding does not pass end(), which is a multiple of the alignment.
  const uint64_t taken_size = round_up(size, alignment);
  if (const auto taken = memory.overlapping(address, taken_size)) {
    return refuse(size, " B at address ", address, " are not free in ", name_of(type), ": address ",
                  taken->address, " is taken, with ", taken->size, " B");
  }
  if (memory.allocate_at(address, taken_size)) return absl::OkStatus();
  return refuse(size, " B at address ", address, " are not free in ", name_of(type));
}

}  // namespace lightmetal::host
