#pragma once

#include <exception>
#include <tt-metalium/device.hpp>
#include <vector>

namespace tt::tt_metal::distributed {

// Calls `action` with each element, with all of them even where some throw, and throws the first
// error then: a call that waits for a mesh has waited for all of it.
template <typename Range, typename Action>
void for_each_and_all(const Range& range, const Action& action) {
  std::exception_ptr first_error;
  for (const auto& element : range) {
    try {
      action(element);
    } catch (...) {
      if (first_error == nullptr) first_error = std::current_exception();
    }
  }
  if (first_error != nullptr) std::rethrow_exception(first_error);
}

// Calls `action` in that manner with each of the devices, or of their queues.
template <typename Each, typename Action>
void for_each_device(const std::vector<Each*>& devices, const Action& action) {
  for_each_and_all(devices, [&](Each* device) { action(*device); });
}

}  // namespace tt::tt_metal::distributed
