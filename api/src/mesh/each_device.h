#pragma once

#include <exception>
#include <tt-metalium/device.hpp>
#include <vector>

namespace tt::tt_metal::distributed {

// Calls `action` for each of the devices, or of their queues, for all of them even where some
// throw, and throws the first error then: what waits for a mesh has waited for all of it.
template <typename Each, typename Action>
void for_each_device(const std::vector<Each*>& devices, const Action& action) {
  std::exception_ptr first_error;
  for (Each* device : devices) {
    try {
      action(*device);
    } catch (...) {
      if (first_error == nullptr) first_error = std::current_exception();
    }
  }
  if (first_error != nullptr) std::rethrow_exception(first_error);
}

}  // namespace tt::tt_metal::distributed
