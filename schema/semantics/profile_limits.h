#pragma once

#include "absl/status/status.h"
#include "base/device_profile.h"
#include "schema/semantics/refusal.h"

namespace lightmetal::schema::semantics {

// The numbers of the profile of `object` are within what a device of any backend can have. Rules of
// host/ compute with a profile only after this: the limits keep their sums and products within 64
// bits, and divisors positive.
absl::Status check_profile(const Object& object, const ::lightmetal::DeviceProfile& profile);

}  // namespace lightmetal::schema::semantics
