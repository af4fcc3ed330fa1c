#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/device_profile.h"
#include "host/core_set.h"

namespace lightmetal::host {

// Chips have numbers from 0 up to this one, exclusive; each can be open once.
inline constexpr uint32_t kMaxDevices = 8;
// The most sub-devices of a manager. As on Wormhole, which has so many go signals, one for each
// sub-device.
inline constexpr size_t kMaxSubDevices = 8;

// The parameters with which a device is opened. Each holds as the program or the file gave it:
// check_request() judges it.
struct DeviceRequest {
  int64_t chip_id = 0;
  uint32_t num_queues = 1;
  // Regions in bytes: L1_SMALL is at the end of each core's L1, the trace region at the end of each
  // DRAM bank.
  uint64_t l1_small_size = 0;
  uint64_t trace_region_size = 0;
};

// ---- Rules for a device ----
//
// Ids are those by which errors name the objects. `is_...` parameters are what the caller has found
// out about its own objects; the rule adds the sentence. InvalidArgument unless FailedPrecondition
// is said.

// The chip exists and has so many queues and so much memory. REQUIRES: the unreserved bases of the
// profile lie in their memories.
absl::Status check_request(const DeviceRequest& request, const DeviceProfile& profile);
absl::Status check_chip_is_free(int64_t chip_id, bool is_free);
// The device has not been closed. FailedPrecondition otherwise.
absl::Status check_open(uint64_t device_id, bool is_open);
absl::Status check_queue(uint64_t device_id, uint64_t num_queues, uint64_t queue);

// ---- Rules for sub-devices ----

// A manager has 1 to kMaxSubDevices sub-devices.
absl::Status check_num_sub_devices(size_t count);
// The next sub-device of a manager has `cores`: at least one, all of them in the grid, and none
// that a sub-device of `before` has.
absl::Status check_cores_of_sub_device(absl::Span<const CoreSet> before, const CoreSet& cores,
                                       const Core& grid);
// `sub_device` is one of the sub-devices that are loaded.
absl::Status check_is_loaded(uint64_t num_loaded, uint64_t sub_device);
// The sub-device has memory of its own: its manager was created with a local L1 size.
absl::Status check_has_memory(uint64_t sub_device, uint64_t local_l1_size);
// `is_there` is whether the device has that manager.
absl::Status check_manager(uint64_t manager, bool is_there);
// A manager can be removed while it is not the one that is loaded. FailedPrecondition otherwise.
absl::Status check_can_be_removed(uint64_t manager, bool is_loaded);
// A stall group, which is the sub-devices that calls wait for, has at least one member.
absl::Status check_stall_group(size_t count);

}  // namespace lightmetal::host
