#include "host/trace.h"

#include "host/refusal.h"

namespace lightmetal::host {

absl::Status check_lane(uint32_t lane, const Target& target) {
  const size_t num_sub_devices = target.sub_devices.size();
  if ((lane == 0) != (num_sub_devices == 0)) {
    return refuse(
        "A trace fits where the device is divided into sub-devices as it was when the "
        "trace was captured: device ",
        target.device_id, " is ",
        lane == 0 ? "divided, and the trace is of one that was not"
                  : "not divided, and the trace is of one that was");
  }
  if (lane <= num_sub_devices) return absl::OkStatus();
  return refuse("The trace has a launch on sub-device ", lane - 1, ", but ", num_sub_devices,
                " are loaded");
}

absl::Status check_core_of_lane(const Core& core, uint32_t lane, const Target& target) {
  if (lane == 0 || target.sub_devices[lane - 1].contains(core)) return absl::OkStatus();
  return refuse("The trace has a launch on core ", text_of(core), ", which is not of sub-device ",
                lane - 1);
}

absl::Status check_on_device(uint64_t trace, bool is_there, const Target& target) {
  if (is_there) return absl::OkStatus();
  return refuse("Trace instance ", trace, " must exist on device ", target.device_id);
}

absl::Status check_manager(uint64_t trace, uint64_t its_manager, uint64_t loaded_manager) {
  if (its_manager == loaded_manager) return absl::OkStatus();
  return refuse_now("Trace instance ", trace, " was captured or loaded for sub-device manager ",
                    its_manager, ", but ", loaded_manager, " is loaded");
}

}  // namespace lightmetal::host
