#pragma once

#include <map>
#include <tt-metalium/device.hpp>
#include <tt-metalium/span.hpp>

#include "absl/functional/function_ref.h"

namespace tt::tt_metal {

// The devices that `create` gives for the ids. When it throws, those are closed that it has opened
// here, and not those that were open before.
std::map<chip_id_t, IDevice*> create_all_or_none(tt::stl::Span<const chip_id_t> ids,
                                                 absl::FunctionRef<IDevice*(chip_id_t)> create);

}  // namespace tt::tt_metal
