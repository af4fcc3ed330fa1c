#include "runtime/chip_taken.h"

#include <tt-metalium/device_pool.hpp>

#include "absl/strings/str_cat.h"

namespace lightmetal::runtime {

absl::Status with_other_places(const absl::Status& status, uint32_t chip_id) {
  if (status.ok() || !tt::DevicePool::instance().is_device_active(static_cast<int>(chip_id)))
    return status;
  return {status.code(),
          absl::StrCat(status.message(),
                       "; chip_id places a file on another chip, and several files share a chip on "
                       "a device that open_device (in C++ runtime::Device::open) has opened")};
}

}  // namespace lightmetal::runtime
