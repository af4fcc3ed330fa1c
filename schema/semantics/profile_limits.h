#pragma once

#include "absl/status/status.h"
#include "base/device_profile.h"
#include "schema/semantics/refusal.h"

namespace lightmetal::schema::semantics {

// The numbers of the profile of `object` are within what any device here can be.
absl::Status check_profile(const Object& object, const ::lightmetal::DeviceProfile& profile);

}  // namespace lightmetal::schema::semantics
