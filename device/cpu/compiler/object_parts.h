#pragma once

#include <array>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "base/digest.h"
#include "device/kernel_abi/lightmetal_kernel_abi_parts.h"

namespace lightmetal::device::cpu {

// The objects in the bytes of a compute kernel that holds parts (lightmetal_kernel_abi_parts.h).
struct PartsOfObject {
  Bytes whole;  // does what all three parts do
  std::array<Bytes, kernel_abi::kComputeParts> parts;
};

std::vector<std::byte> join_parts(const PartsOfObject& objects);

// Returns the objects in `object`, which must outlive them, or nullopt if `object` holds no parts.
// Returns InvalidArgument if the sizes at its end do not fit its size.
absl::StatusOr<std::optional<PartsOfObject>> find_parts(Bytes object);

}  // namespace lightmetal::device::cpu
