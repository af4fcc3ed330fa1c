#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "base/device_profile.h"

// Which profiles the CPU device can be: one rule for the device and for whoever checks a file that
// was recorded on it.
namespace lightmetal {

// What kernels know as constants (device/cpu/kernel_headers/, which the device holds them against).
namespace cpu_limits {
inline constexpr uint32_t kNocCoordinates = 64;  // on each axis
inline constexpr uint64_t kDramBankSize = uint64_t{1} << 36;
inline constexpr uint64_t kL1Size = uint64_t{2} << 30;
inline constexpr uint64_t kL1OfDevice = 0x5800;  // at the beginning of L1, for the device itself
inline constexpr uint64_t kEthernetL1Size = 0x40000;
inline constexpr uint64_t kEthernetUnreservedBase = 0x8000;
inline constexpr uint32_t kCircularBuffers = 32;
inline constexpr uint32_t kSemaphores = 256;
inline constexpr uint32_t kRuntimeArgs = 512;
}  // namespace cpu_limits

// The DRAM banks have coordinates of their own, which no worker and no other bank has, or none is
// given. Holds for every backend. InvalidArgument says what is wrong.
absl::Status check_dram_cores(const DeviceProfile& profile);

// InvalidArgument names the field, its value, and what the CPU device takes.
absl::Status check_cpu_profile(const DeviceProfile& profile);

}  // namespace lightmetal
