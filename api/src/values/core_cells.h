#pragma once

#include <tt-metalium/core_coord.hpp>
#include <vector>

namespace tt::tt_metal {

// Decides whether a core belongs to a result, from whether it belongs to `a` and to `b`.
// keep(false, false) is false.
using KeepCore = bool (*)(bool in_a, bool in_b);

// The cores that `keep` keeps, as the canonical ranges of CoreRangeSet. Either list may overlap
// itself. The cost depends on how many ranges there are and not on how large they are.
std::vector<CoreRange> combine_ranges(const std::vector<CoreRange>& a,
                                      const std::vector<CoreRange>& b, KeepCore keep);

}  // namespace tt::tt_metal
