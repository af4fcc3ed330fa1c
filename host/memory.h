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
// L1 alone. Borders are multiples of the memory's alignment. Not thread-safe.
struct Memory {
  // REQUIRES: check_is_memory().
  FreeList& of(BufferType type);

  // What a sub-device has with so many bytes of each bank of this device's L1.
  Memory of_sub_device(uint64_t local_l1_size) const;
  // Leaves as many bytes of each bank of L1 to the sub-devices, and takes back what others had.
  // Refuses more than there is, and where buffers lie; nothing has changed then.
  absl::Status leave_to_sub_devices(uint64_t local_l1_size);

  FreeList dram = {0, 0};
  FreeList trace = {0, 0};     // at the top of DRAM
  FreeList l1 = {0, 0};        // from `l1_base` on, or behind what sub-devices have
  FreeList l1_small = {0, 0};  // at the top of L1
  uint64_t l1_base = 0;
};

// Of a device that was opened with these sizes, in bytes for each bank. The error says which region
// does not fit. REQUIRES: the alignments of the profile are powers of two.
absl::StatusOr<Memory> memory_of(const DeviceProfile& profile, uint64_t l1_small_size,
                                 uint64_t trace_region_size);

// Sub-device `number` of a manager that is loaded may go: it has no buffer, the lowest of which
// lies at `lowest`.
absl::Status check_has_no_buffer(uint64_t manager, uint64_t number, std::optional<uint64_t> lowest);

// Takes `size` bytes, rounded up to `alignment`, of each bank of a memory at the address; they are
// given back at the address. Refuses an address that is not aligned, lies outside or is taken;
// nothing has changed then. REQUIRES: `size` is positive.
absl::Status allocate_at(FreeList& memory, BufferType type, uint64_t address, uint64_t size,
                         uint32_t alignment);

}  // namespace lightmetal::host
