#pragma once

#include <tt-metalium/device.hpp>
#include <vector>

namespace tt::tt_metal {

// While it lives, the device's stall group is made of the sub-devices that a call names, if it
// names any. It uses calls of the public API, so that a capture records what the call waits for.
// REQUIRES, if any are named: no other thread uses the device meanwhile.
class StallGroupScope {
 public:
  // Throws std::runtime_error when there is no such sub-device.
  StallGroupScope(IDevice& device, tt::stl::Span<const SubDeviceId> named) : device_(device) {
    if (named.empty()) return;
    before_ = device.get_sub_device_stall_group();
    device.set_sub_device_stall_group(named);
  }
  ~StallGroupScope() {
    if (!before_.empty()) device_.set_sub_device_stall_group(before_);
  }
  StallGroupScope(const StallGroupScope&) = delete;
  StallGroupScope& operator=(const StallGroupScope&) = delete;

 private:
  IDevice& device_;
  std::vector<SubDeviceId> before_;  // empty: nothing has been changed
};

}  // namespace tt::tt_metal
