#pragma once

#include <map>
#include <tt-metalium/device.hpp>
#include <tt-metalium/span.hpp>

#include "absl/functional/function_ref.h"
#include "api/src/objects/device_parameters.h"

namespace tt::tt_metal {

// CreateDevice with the parameters in one, but for the backend and the profile, which it chooses.
IDevice* open_or_find(DeviceParameters parameters);

// Opens several devices: calls `create` for each id. When a call throws, closes the devices that
// were opened here, not those that were open before, and throws the same.
std::map<chip_id_t, IDevice*> create_all_or_none(tt::stl::Span<const chip_id_t> ids,
                                                 absl::FunctionRef<IDevice*(chip_id_t)> create);

}  // namespace tt::tt_metal
