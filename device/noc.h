#pragma once

#include <cstdint>

#include "base/core.h"
#include "base/device_profile.h"
#include "base/noc_coordinates.h"
#include "device/kernel_abi/lightmetal_kernel_abi.h"

// Addresses on the network-on-chip (NoC): the coordinates of an endpoint (base/noc_coordinates.h),
// and an address inside the endpoint's memory. The bits of an address are a matter of the kernel
// ABI (device/kernel_abi/lightmetal_kernel_abi.h), since kernels compute addresses, too.
namespace lightmetal::device {

inline constexpr uint32_t kNocCoordinates = 1u << kernel_abi::kNocCoordinateBits;  // per axis
inline constexpr uint64_t kNocLocalMask = (uint64_t{1} << kernel_abi::kNocLocalBits) - 1;

using ::lightmetal::noc_coordinate_of_dram_bank;
using ::lightmetal::noc_coordinate_of_ethernet;
using ::lightmetal::noc_coordinate_of_worker;

// Interleaved L1 buffers have one bank per worker.
constexpr uint32_t num_l1_banks(const DeviceProfile& profile) {
  return profile.grid.x * profile.grid.y;
}

// The worker that holds an L1 bank: banks are counted along the rows of the grid. REQUIRES: bank <
// num_l1_banks(profile).
constexpr Core core_of_l1_bank(const DeviceProfile& profile, uint32_t bank) {
  return {bank % profile.grid.x, bank / profile.grid.x};
}

// The NoC address of a byte: `local` is an L1 address or an offset in a DRAM bank. REQUIRES: local
// <= kNocLocalMask.
constexpr uint64_t noc_address(Core noc, uint64_t local) {
  constexpr uint32_t kX = kernel_abi::kNocLocalBits;
  constexpr uint32_t kY = kX + kernel_abi::kNocCoordinateBits;
  return local | uint64_t{noc.x} << kX | uint64_t{noc.y} << kY;
}

// The NoC address of one L1 address on every worker of a rectangle. Both corners are part of the
// rectangle, and either may be the start.
constexpr uint64_t noc_multicast_address(Core start, Core end, uint64_t local) {
  constexpr uint32_t kStart = 2 * kernel_abi::kNocCoordinateBits;
  return noc_address(end, local) | noc_address(start, 0) << kStart;
}

struct NocTarget {
  Core noc;    // the endpoint, or a rectangle's end
  Core start;  // the rectangle's other corner; 0 in an address of one endpoint
  uint64_t local = 0;
};

// The coordinates of an address's endpoint, or of a rectangle's end, as one number below
// kNocEndpoints: an index into a table of all endpoints.
inline constexpr uint32_t kNocEndpoints = kNocCoordinates * kNocCoordinates;
constexpr uint32_t noc_endpoint(uint64_t address) {
  return static_cast<uint32_t>(address >> kernel_abi::kNocLocalBits) % kNocEndpoints;
}

// The parts of an address made by noc_address or noc_multicast_address.
constexpr NocTarget noc_target(uint64_t address) {
  constexpr uint32_t kBits = kernel_abi::kNocCoordinateBits;
  constexpr uint32_t kMask = kNocCoordinates - 1;
  const auto coordinates = static_cast<uint32_t>(address >> kernel_abi::kNocLocalBits);
  return {.noc = {coordinates & kMask, coordinates >> kBits & kMask},
          .start = {coordinates >> 2 * kBits & kMask, coordinates >> 3 * kBits & kMask},
          .local = address & kNocLocalMask};
}

}  // namespace lightmetal::device
