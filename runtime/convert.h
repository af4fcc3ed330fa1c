#pragma once

#include <cstddef>
#include <span>

#include "base/digest.h"
#include "base/tensor_desc.h"

namespace lightmetal::runtime {

// Converts elements to another type: as by static_cast, to the nearest value and the nearest end of
// the range; what is no number becomes 0 in an integer. REQUIRES: there are as many elements on
// both sides.
void convert(TensorType from_type, Bytes from, TensorType to_type, std::span<std::byte> to);

}  // namespace lightmetal::runtime
