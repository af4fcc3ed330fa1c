#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "base/core.h"
#include "base/device_profile.h"
#include "device/cpu/mapping.h"

namespace lightmetal::device::cpu {

// The device's memories, zero at the start. A core's L1 begins at a multiple of 4 GiB, so a pointer
// into it cut to 32 bits is the L1 address; what follows an L1 up to the next one faults when
// touched. Ranges are the caller's to check.
class Memory {
 public:
  static absl::StatusOr<Memory> create(const DeviceProfile& profile);

  std::byte* l1(Core core) const {
    return l1_.data() + (uint64_t{core.y} * columns_ + core.x) * kL1Stride;
  }
  std::byte* ethernet_l1(uint32_t index) const {
    return l1_.data() + (uint64_t{workers_} + index) * kL1Stride;
  }
  std::byte* dram(uint32_t bank) const { return dram_[bank].data(); }

 private:
  static constexpr uint64_t kL1Stride = uint64_t{4} << 30;

  Memory() = default;

  uint32_t columns_ = 0;
  uint32_t workers_ = 0;
  Mapping l1_;
  std::vector<Mapping> dram_;
};

// Copies device memory on behalf of a kernel; the ranges may overlap. Hidden from ThreadSanitizer:
// two kernels that touch the same bytes without a hand-shake are the program's own race, and
// hand-shakes made by kernel code are invisible to it.
void copy_device_memory(std::byte* target, const std::byte* source, uint64_t size);

}  // namespace lightmetal::device::cpu
