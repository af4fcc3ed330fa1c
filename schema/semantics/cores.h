#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "host/core_set.h"
#include "schema/semantics/refusal.h"
#include "schema/types_generated.h"

namespace lightmetal::schema::semantics {

using host::CoreSet;

using CoreRanges = flatbuffers::Vector<const CoreRange*>;

// The cores of all ranges; `ranges` may be null. An error names `object` and its `field`.
absl::StatusOr<CoreSet> core_set_of(const CoreRanges* ranges, const Object& object,
                                    absl::string_view field);

// Adds a range that is in a field of a command about `object`.
absl::Status add_range(CoreSet& set, const Core& first, const Core& last, const Object& object,
                       absl::string_view field);

std::string text_of(const Core& core);  // "(1, 2)"

}  // namespace lightmetal::schema::semantics
