#pragma once

#include <cstdint>
#include <limits>

#include "absl/status/status.h"
#include "base/device_profile.h"
#include "schema/semantics/refusal.h"

namespace lightmetal::schema::semantics {

// Sizes of pages are multiples of it.
inline constexpr uint64_t kWord = sizeof(uint32_t);
// Addresses on a device have 32 bits.
inline constexpr uint64_t kMaxAddress = std::numeric_limits<uint32_t>::max();

// The numbers of the profile of `object` are within what any device here can be.
absl::Status check_profile(const Object& object, const ::lightmetal::DeviceProfile& profile);

}  // namespace lightmetal::schema::semantics
