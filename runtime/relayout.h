#pragma once

#include "absl/status/statusor.h"
#include "runtime/state.h"

namespace lightmetal::runtime {

// Writes the values of one tensor to another of the same device, shape and type whose layout is
// another, by copies within the device; what the destination has besides becomes zeros. False on a
// device that does not copy by itself. REQUIRES: both are allocated, and nothing else is done with
// them meanwhile.
absl::StatusOr<bool> relayout_on_device(const Tensor::State& to, const Tensor::State& from);

}  // namespace lightmetal::runtime
