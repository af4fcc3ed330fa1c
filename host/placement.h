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

// What of an open device decides whether a program can run there.
struct Target {
  uint64_t device_id = 0;  // as errors name it
  const DeviceProfile& profile;
  uint64_t l1_small_size = 0;  // in bytes, at the end of L1
  // Of the manager that is loaded, and its id; none when the device is not divided.
  absl::Span<const CoreSet> sub_devices = {};
  uint64_t manager_id = 0;
};

// The memory that a program's circular buffers take on the cores of one of them, the one that
// reaches highest. `end` is an L1 address; 0 when the program has found memory for none.
struct CircularBufferRegion {
  CoreSet cores;
  uint64_t end = 0;
};

// Everything in the program lies in the grids of the device.
absl::Status check_grids(const Program& program, const Target& target);

// Its kernels have no more arguments than the device takes: `most` is the greatest number, of one
// core's own and common ones together, that `kernel` has.
absl::Status check_arguments(absl::string_view kernel, uint64_t most, const Target& target);

// The one sub-device that has all kernels and semaphores; nullopt when the device is not divided.
// Parts of a program may not lie elsewhere, for launches on other sub-devices would not know.
absl::StatusOr<std::optional<size_t>> find_sub_device(const Program& program, const Target& target);

// The pages of each circular buffer divide it, and memory that it was given ends in L1.
absl::Status check_circular_buffers(const Program& program, const Target& target);

// Gives each circular buffer that was given no memory an L1 address, the same on all of its cores:
// in the order of creation the lowest that is free on all of them. Calls place(number, address) for
// each. FailedPrecondition when an address would not have 32 bits.
absl::StatusOr<CircularBufferRegion> place_circular_buffers(
    const Program& program, const DeviceProfile& profile,
    absl::FunctionRef<void(size_t number, uint32_t address)> place);

// The region of program `program_id` ends in L1, before the small buffers at its end. Circular
// buffers grow up from below, buffers down from above: `lowest` is where the lowest buffer begins,
// in the memory of the program's sub-device or of the whole device.
absl::Status check_region(uint64_t program_id, const CircularBufferRegion& region,
                          const Target& target, std::optional<uint64_t> lowest);

}  // namespace lightmetal::host
