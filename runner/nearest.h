#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace lightmetal::runner {

// The word of `known` that somebody who wrote `word` most likely meant: the one that the fewest
// insertions, deletions, replacements and swaps of neighbouring characters lead to, at most one for
// each three characters. Empty when none is that near. Of equals, the first.
std::string nearest(absl::string_view word, absl::Span<const std::string> known);

// "; did you mean NEAREST?", or nothing where there is none. `prefix` stands before it ("--").
std::string suggestion(absl::string_view word, absl::Span<const std::string> known,
                       absl::string_view prefix = "");

}  // namespace lightmetal::runner
