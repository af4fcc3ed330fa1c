#include "runtime/check_values.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace lightmetal::runtime {
namespace {

std::string text_of(absl::Span<const uint32_t> shape) {
  return absl::StrCat("[", absl::StrJoin(shape, ", "), "]");
}

}  // namespace

absl::Status check_values(const std::string& name, const TensorDesc& expected, TensorType type,
                          absl::Span<const uint32_t> shape) {
  if (type != expected.type) {
    return absl::InvalidArgumentError(absl::StrCat("the values for ", name, " are ", name_of(type),
                                                   ", expected ", name_of(expected.type)));
  }
  if (std::ranges::equal(shape, expected.shape)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the values for ", name, " have the shape ",
                                                 text_of(shape), ", expected ",
                                                 text_of(expected.shape)));
}

}  // namespace lightmetal::runtime
