#include "host/device.h"

#include "host/refusal.h"

namespace lightmetal::host {

absl::Status check_request(const DeviceRequest& request, const DeviceProfile& profile) {
  if (request.chip_id < 0 || request.chip_id >= kMaxDevices) {
    return refuse("There is no device ", request.chip_id, ": ids go from 0 to ", kMaxDevices - 1);
  }
  if (request.num_queues == 0 || request.num_queues > profile.max_command_queues) {
    return refuse("num_hw_cqs is ", request.num_queues, ": a device has 1 to ",
                  profile.max_command_queues, " command queues");
  }
  const uint64_t l1 = profile.l1_size - profile.l1_unreserved_base;
  if (request.l1_small_size > l1) {
    return refuse("l1_small_size is ", request.l1_small_size, " B: only ", l1,
                  " B of a core's L1 are free");
  }
  const uint64_t dram = profile.dram_bank_size - profile.dram_unreserved_base;
  if (request.trace_region_size <= dram) return absl::OkStatus();
  return refuse("trace_region_size is ", request.trace_region_size, " B: only ", dram,
                " B of a DRAM bank are free");
}

absl::Status check_chip_is_free(int64_t chip_id, bool is_free) {
  if (is_free) return absl::OkStatus();
  return refuse("Device ", chip_id,
                " is open already, with other parameters or in a replay: close it before it is "
                "created again");
}

absl::Status check_open(uint64_t device_id, bool is_open) {
  if (is_open) return absl::OkStatus();
  return refuse_now("Device ", device_id, " has been closed");
}

absl::Status check_queue(uint64_t device_id, uint64_t num_queues, uint64_t queue) {
  if (queue < num_queues) return absl::OkStatus();
  return refuse("Device ", device_id, " has ", num_queues, " command queues: there is no queue ",
                queue);
}

absl::Status check_num_sub_devices(size_t count) {
  if (count != 0 && count <= kMaxSubDevices) return absl::OkStatus();
  return refuse("A device is divided into 1 to ", kMaxSubDevices, " sub-devices, not into ", count);
}

absl::Status check_cores_of_sub_device(absl::Span<const CoreSet> before, const CoreSet& cores,
                                       const Core& grid) {
  const size_t number = before.size();
  if (cores.empty()) return refuse("Sub-device ", number, " has no cores");
  if (!cores.fits(grid)) {
    return refuse("Sub-device ", number, " has cores ", cores.text(), ", which leave the ", grid.x,
                  "x", grid.y, " compute grid");
  }
  for (size_t other = 0; other < number; ++other) {
    if (!cores.intersects(before[other])) continue;
    return refuse("Sub-devices ", other, " and ", number, " overlap on cores ",
                  cores.intersection(before[other]).text());
  }
  return absl::OkStatus();
}

absl::Status check_is_loaded(uint64_t num_loaded, uint64_t sub_device) {
  if (sub_device < num_loaded) return absl::OkStatus();
  return refuse(num_loaded, num_loaded == 1 ? " sub-device is" : " sub-devices are",
                " loaded: there is no sub-device ", sub_device);
}

absl::Status check_has_memory(uint64_t sub_device, uint64_t local_l1_size) {
  if (local_l1_size != 0) return absl::OkStatus();
  return refuse("Sub-device ", sub_device,
                " has no memory of its own: its manager was created with a local L1 size of 0");
}

absl::Status check_manager(uint64_t manager, bool is_there) {
  if (is_there) return absl::OkStatus();
  return refuse("There is no sub-device manager ", manager);
}

absl::Status check_can_be_removed(uint64_t manager, bool is_loaded) {
  if (!is_loaded) return absl::OkStatus();
  return refuse_now("Sub-device manager ", manager,
                    " is loaded: clear_loaded_sub_device_manager comes first");
}

absl::Status check_stall_group(size_t count) {
  if (count != 0) return absl::OkStatus();
  return refuse("A stall group has at least one sub-device");
}

}  // namespace lightmetal::host
