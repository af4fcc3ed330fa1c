#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/device_profile.h"
#include "host/core_set.h"

namespace lightmetal::host {

// Chips have numbers from 0 on; so many can be open at once.
inline constexpr uint32_t kMaxDevices = 8;
// As on Wormhole: one go signal each.
inline constexpr size_t kMaxSubDevices = 8;

// What a device is opened with.
struct DeviceRequest {
  int64_t chip_id = 0;
  uint32_t num_queues = 1;
  // In bytes: at the end of each core's L1, and of each DRAM bank.
  uint64_t l1_small_size = 0;
  uint64_t trace_region_size = 0;
};

// The rules for a device. Ids are as errors name them.

// The chip has these queues and this memory. REQUIRES: the unreserved bases lie in their memories.
absl::Status check_request(const DeviceRequest& request, const DeviceProfile& profile);
absl::Status check_chip_is_free(int64_t chip_id, bool is_free);
absl::Status check_open(uint64_t device_id, bool is_open);
absl::Status check_queue(uint64_t device_id, uint64_t num_queues, uint64_t queue);

// The rules for sub-devices.

// How many a manager has.
absl::Status check_num_sub_devices(size_t count);
// The cores of the next one of a manager: some, in the grid, and none that those before it have.
absl::Status check_cores_of_sub_device(absl::Span<const CoreSet> before, const CoreSet& cores,
                                       const Core& grid);
// It is one of those that are loaded.
absl::Status check_is_loaded(uint64_t num_loaded, uint64_t sub_device);
// Its manager has a local L1 size.
absl::Status check_has_memory(uint64_t sub_device, uint64_t local_l1_size);
// It is one of the device.
absl::Status check_manager(uint64_t manager, bool is_there);
// It is not the one that is loaded.
absl::Status check_can_be_removed(uint64_t manager, bool is_loaded);
// A stall group has so many members.
absl::Status check_stall_group(size_t count);

}  // namespace lightmetal::host
