#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"

namespace lightmetal::schema {

// Pairs of equal elements of two sequences, by their numbers; both ascend.
using Pairs = std::vector<std::pair<size_t, size_t>>;

// Finds which elements of `b` are those of `a`, as an edit script of few insertions and removals
// leaves them. Elements that each sequence has once hold the rest together; between them it is the
// shortest script while that has at most some hundred steps, and none beyond. So the time is nearly
// linear for sequences that have much in common, and bounded for all.
Pairs align(absl::Span<const uint64_t> a, absl::Span<const uint64_t> b);

// As align(), in one pass: each element of `a` gets the next equal one of `b` behind those that are
// taken. For what align() gives up.
Pairs align_in_order(absl::Span<const uint64_t> a, absl::Span<const uint64_t> b);

}  // namespace lightmetal::schema
