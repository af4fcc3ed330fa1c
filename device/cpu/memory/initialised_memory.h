#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "base/core.h"
#include "base/device_profile.h"
#include "device/cpu/memory/mapping.h"

namespace lightmetal::device::cpu {

// Which bytes of each worker core's L1 have been written since the device was opened. L1 below
// DeviceProfile::l1_unreserved_base belongs to the system and counts as written. Nothing locks the
// marks: kernels that use the same bytes without a hand-shake race for the marks as they race for
// the bytes, and ThreadSanitizer is told not to look.
class InitialisedMemory {
 public:
  static absl::StatusOr<InitialisedMemory> create(const DeviceProfile& profile);

  // The marks of a core: one byte for each byte of its L1, not zero when that byte was written.
  std::byte* marks(Core core) const;

 private:
  uint32_t columns_ = 0;
  uint64_t stride_ = 0;
  Mapping marks_;
};

// Marks a range as written. `marks` are those of one core. REQUIRES: the range lies in its L1.
void mark_initialised(std::byte* marks, uint64_t address, uint64_t size);

// The L1 address of the first byte of the range that was not written; none when all were. REQUIRES:
// the range lies in the core's L1.
std::optional<uint64_t> find_uninitialised(const std::byte* marks, uint64_t address, uint64_t size);

}  // namespace lightmetal::device::cpu
