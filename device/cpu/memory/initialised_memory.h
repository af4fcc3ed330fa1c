#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "base/core.h"
#include "base/device_profile.h"
#include "device/cpu/memory/mapping.h"

namespace lightmetal::device::cpu {

// Which bytes of each core's L1 have been written since the device was opened. What lies below
// DeviceProfile::l1_unreserved_base is the system's and counts as written. Kernels that use the
// same bytes without a hand-shake race here as they do there; ThreadSanitizer does not look.
class InitialisedMemory {
 public:
  static absl::StatusOr<InitialisedMemory> create(const DeviceProfile& profile);

  // A core's marks: one byte for each of its L1, not zero when written.
  std::byte* marks(Core core) const;

 private:
  uint32_t columns_ = 0;
  uint64_t stride_ = 0;
  Mapping marks_;
};

// `marks` as above; the range lies in L1.
void mark_initialised(std::byte* marks, uint64_t address, uint64_t size);

// The first byte of the range that was not written.
std::optional<uint64_t> find_uninitialised(const std::byte* marks, uint64_t address, uint64_t size);

}  // namespace lightmetal::device::cpu
