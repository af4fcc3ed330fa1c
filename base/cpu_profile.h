#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "base/device_profile.h"

// Which profiles the CPU device can have: one rule for the device and for whoever checks a file
// that was recorded on it.
namespace lightmetal {

// What compiled kernels know as constants, so that no profile may go beyond it. The device compares
// these numbers with those in device/cpu/kernel_headers/. Sizes and addresses are in bytes.
namespace cpu_limits {
inline constexpr uint32_t kNocCoordinates = 64;  // on each axis
inline constexpr uint64_t kDramBankSize = uint64_t{1} << 36;
inline constexpr uint64_t kL1Size = uint64_t{2} << 30;
inline constexpr uint64_t kL1OfDevice = 0x5800;  // at the beginning of L1; the device keeps it
inline constexpr uint64_t kEthernetL1Size = 0x40000;
inline constexpr uint64_t kEthernetUnreservedBase = 0x8000;
inline constexpr uint32_t kCircularBuffers = 64;          // on Blackhole
inline constexpr uint32_t kWormholeCircularBuffers = 32;  // on any other architecture
inline constexpr uint32_t kSemaphores = 256;
inline constexpr uint32_t kRuntimeArgs = 512;
}  // namespace cpu_limits

// Either no DRAM bank has a coordinate in the profile, or each bank has one that no worker and no
// other bank has. Holds for every backend, because programs name banks by coordinates.
// InvalidArgument says what is wrong.
absl::Status check_dram_cores(const DeviceProfile& profile);

// InvalidArgument names the field, its value, and what the CPU device takes.
absl::Status check_cpu_profile(const DeviceProfile& profile);

}  // namespace lightmetal
