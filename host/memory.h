#pragma once

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/device_profile.h"
#include "base/free_list.h"
#include "host/buffer.h"

namespace lightmetal::host {

// What is free and what is taken in the banks of a device, or of one of its sub-devices, which has
// only L1. One free list stands for all banks of a memory, because an allocation takes the same
// addresses of each bank. Borders are multiples of the memory's alignment. Not thread-safe.
struct Memory {
  // The free list for buffers of `type`. REQUIRES: check_is_memory(type) is OK.
  FreeList& of(BufferType type);

  // The memory of a sub-device that has `local_l1_size` bytes of each bank of this device's L1. All
  // sub-devices have the same addresses: they lie on different cores.
  Memory of_sub_device(uint64_t local_l1_size) const;
  // Leaves the first `local_l1_size` bytes of each bank of L1 to the sub-devices, and takes back
  // what the manager before had. Returns InvalidArgument when L1 is smaller, FailedPrecondition
  // where a buffer lies there; nothing has changed then.
  absl::Status leave_to_sub_devices(uint64_t local_l1_size);

  FreeList dram = {0, 0};
  FreeList trace = {0, 0};     // at the end of each DRAM bank
  FreeList l1 = {0, 0};        // from `l1_base` on, or from the end of what sub-devices have
  FreeList l1_small = {0, 0};  // at the end of each core's L1
  uint64_t l1_base = 0;        // where L1 begins for programs, whatever sub-devices have
};

// The memory of a device that is opened with these sizes, in bytes for each bank. InvalidArgument
// says which region does not fit. REQUIRES: the alignments of the profile are powers of two.
absl::StatusOr<Memory> memory_of(const DeviceProfile& profile, uint64_t l1_small_size,
                                 uint64_t trace_region_size);

// The manager that is loaded may be exchanged as far as sub-device `number` goes: no buffer lies in
// the sub-device's memory. `lowest` is the address of the lowest such buffer. FailedPrecondition
// otherwise.
absl::Status check_has_no_buffer(uint64_t manager, uint64_t number, std::optional<uint64_t> lowest);

// Takes `size` bytes, rounded up to `alignment`, at `address` of each bank; `memory.free(address)`
// gives them back. Returns InvalidArgument, with nothing changed, for an address that is not
// aligned, lies outside the memory or is taken. REQUIRES: `size` is positive.
absl::Status allocate_at(FreeList& memory, BufferType type, uint64_t address, uint64_t size,
                         uint32_t alignment);

}  // namespace lightmetal::host
