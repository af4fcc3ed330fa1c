#pragma once

#include "absl/status/statusor.h"
#include "base/compare_policy.h"
#include "schema/commands/forward.h"
#include "schema/file/session_info.h"

namespace lightmetal::schema {

// Whether elements of this type may be compared otherwise than exactly.
bool takes_tolerance(ElementType type);

// Whether a capture knows of elements of this type no more than how many bits they have.
bool is_untyped(ElementType type);

// The type in which `policy` compares elements that were recorded as `recorded`. InvalidArgument
// when it is none that the policy is for.
absl::StatusOr<ElementType> type_compared(ElementType recorded, const ComparePolicy& policy);

// How all goldens of a file are compared when nobody says otherwise: as its capture was asked, or
// else exactly. InvalidArgument when the session says what is no policy.
absl::StatusOr<ComparePolicy> golden_policy_of(const SessionInfo& session);

}  // namespace lightmetal::schema
