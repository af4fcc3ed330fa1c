#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/device_profile.h"
#include "host/core_set.h"
#include "host/program.h"

namespace lightmetal::host {

// The parts of an open device that decide whether a program can run there. Refers to a profile and
// to sub-devices that someone else owns, so it lives no longer than they do.
struct Target {
  uint64_t device_id = 0;  // the id by which errors name the device
  const DeviceProfile& profile;
  uint64_t l1_small_size = 0;  // in bytes, at the end of L1
  // The cores of each sub-device of the manager that is loaded, and the manager's id. Empty when
  // the device is not divided.
  absl::Span<const CoreSet> sub_devices = {};
  uint64_t manager_id = 0;
};

// The memory of the circular buffer that reaches highest in L1, for errors and for the check
// against buffers. `end` is an L1 address; 0 when no circular buffer of the program needed memory
// of its own.
struct CircularBufferRegion {
  CoreSet cores;
  uint64_t end = 0;
};

// All kernels, circular buffers and semaphores of the program lie in the grids of the device.
// FailedPrecondition otherwise, as of all rules below: the program may be right for another device.
absl::Status check_grids(const Program& program, const Target& target);

// `kernel` has no more arguments than the device takes. `most` is the greatest number, of one
// core's own and the common ones together, that the kernel has on a core.
absl::Status check_arguments(absl::string_view kernel, uint64_t most, const Target& target);

// The number of the one sub-device on whose cores all kernels and semaphores lie; nullopt when the
// device is not divided. A program must not reach beyond its sub-device, because a launch on
// another sub-device would not know of it.
absl::StatusOr<std::optional<size_t>> find_sub_device(const Program& program, const Target& target);

// The cores of the device have each circular buffer's indices (InvalidArgument otherwise, as
// check_index); its pages divide its size, and memory that was given to it ends in L1.
absl::Status check_circular_buffers(const Program& program, const Target& target);

// Finds an L1 address for each circular buffer that was given no memory, the same address on all of
// its cores: in the order of creation, the end of the highest circular buffer before it on any of
// them. Calls place(number, address) for each. FailedPrecondition when an address does not fit into
// 32 bits. Whether the region fits into L1 is for check_region() to say.
absl::StatusOr<CircularBufferRegion> place_circular_buffers(
    const Program& program, const DeviceProfile& profile,
    absl::FunctionRef<void(size_t number, uint32_t address)> place);

// The region of program `program_id` ends in L1, before L1_SMALL at its end, and below all buffers.
// Circular buffers grow up from below, buffers down from above: `lowest` is where the lowest buffer
// begins, in the memory of the program's sub-device or of the whole device.
absl::Status check_region(uint64_t program_id, const CircularBufferRegion& region,
                          const Target& target, std::optional<uint64_t> lowest);

}  // namespace lightmetal::host
