#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/tensor_desc.h"

namespace lightmetal::runtime {

// InvalidArgument, with what was expected, for values of another type or shape than those of the
// tensor `name`.
absl::Status check_values(const std::string& name, const TensorDesc& expected, TensorType type,
                          absl::Span<const uint32_t> shape);

}  // namespace lightmetal::runtime
