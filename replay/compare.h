#pragma once

#include <cstddef>
#include <lightmetal/replay.hpp>

#include "base/digest.h"
#include "schema/types_generated.h"

namespace lightmetal::replay {

// How many bytes an element has.
size_t size_of(schema::ElementType type);

// Whether the errors of a golden that passes are wanted, too. To know only that it passes is
// faster.
enum class Errors { kAlways, kOfFailures };

// Compares the elements by `policy`; a last element that is cut short counts as one, and is
// compared exactly. Equal bytes are looked at only once, by memcmp; memory is allocated for the
// first differences alone. The caller fills in what was read. REQUIRES: expected.size() ==
// found.size(); the policy is exact, or for
// elements of this type (schema/semantics/golden_policy.h).
GoldenResult compare(schema::ElementType type, const ComparePolicy& policy, Bytes expected,
                     Bytes found, Errors errors = Errors::kAlways);

}  // namespace lightmetal::replay
