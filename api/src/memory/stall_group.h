#pragma once

#include <exception>
#include <tt-metalium/device.hpp>
#include <vector>

namespace tt::tt_metal {

// Returns what `action` returns. Meanwhile the device's stall group is made of the sub-devices that
// a call names, if it names any. A function and not an object with a scope, because putting the
// group back may throw, too. It uses calls of the public API, so that a capture records what the
// call waits for. Throws std::runtime_error when there is no such sub-device, and what `action`
// throws. REQUIRES, if any are named: no other thread uses the device meanwhile.
template <typename Action>
auto with_stall_group(IDevice& device, tt::stl::Span<const SubDeviceId> named,
                      const Action& action) {
  if (named.empty()) return action();
  const std::vector<SubDeviceId> before = device.get_sub_device_stall_group();
  device.set_sub_device_stall_group(named);
  auto made = [&] {
    try {
      return action();
    } catch (...) {
      try {
        device.set_sub_device_stall_group(before);
      } catch (const std::exception&) {
        // The caller hears the first error.
      }
      throw;
    }
  }();
  device.set_sub_device_stall_group(before);
  return made;
}

}  // namespace tt::tt_metal
