#pragma once

#include <cstdint>
#include <tt-metalium/sub_device_types.hpp>

namespace tt::tt_metal::distributed {

// A device trace of a mesh; the number (*id) is unique in the process.
using MeshTraceId = StrongId<struct MeshTraceIdTag, uint32_t>;

}  // namespace tt::tt_metal::distributed
