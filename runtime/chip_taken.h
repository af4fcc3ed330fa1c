#pragma once

#include <cstdint>

#include "absl/status/status.h"

namespace lightmetal::runtime {

// Returns `status`. If it is an error and the chip has an open device, the message also says where
// else a file can be loaded, by the names that the C++, C and Python interfaces share.
absl::Status with_other_places(const absl::Status& status, uint32_t chip_id);

}  // namespace lightmetal::runtime
