#include "schema/semantics/golden_policy.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "schema/types_generated.h"

namespace lightmetal::schema {

bool takes_tolerance(ElementType type) {
  return type == ElementType::Float32 || type == ElementType::BFloat16;
}

bool is_untyped(ElementType type) {
  return type == ElementType::Bytes || type == ElementType::UInt16 || type == ElementType::UInt32;
}

absl::StatusOr<ElementType> type_compared(ElementType recorded, const ComparePolicy& policy) {
  using As = ComparePolicy::As;
  if (policy.as != As::Recorded && is_untyped(recorded)) {
    return policy.as == As::Float32 ? ElementType::Float32 : ElementType::BFloat16;
  }
  if (policy.is_exact() || takes_tolerance(recorded)) return recorded;
  return absl::InvalidArgumentError(
      absl::StrCat("elements of ", EnumNameElementType(recorded),
                   " are compared exactly: ", policy.text(), " is for Float32 and BFloat16",
                   is_untyped(recorded) ? ", as which as:float32 and as:bfloat16 take them" : ""));
}

absl::StatusOr<ComparePolicy> golden_policy_of(const SessionInfo& session) {
  const std::string* text = option_of(session, "golden");
  if (text == nullptr) return ComparePolicy{};
  const auto policy = ComparePolicy::parse(*text);
  if (policy.ok()) return *policy;
  return absl::InvalidArgumentError(absl::StrCat("its option golden: ", policy.status().message()));
}

}  // namespace lightmetal::schema
