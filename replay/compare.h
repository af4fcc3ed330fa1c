#pragma once

#include <cstddef>
#include <lightmetal/replay.hpp>
#include <optional>

#include "base/digest.h"
#include "schema/types_generated.h"

namespace lightmetal::replay {

// How many bytes an element has.
size_t size_of(schema::ElementType type);

// Compares bit by bit: NaNs with equal bits are equal, and zeros of different signs differ. Returns
// nothing when all bytes are equal. Otherwise the mismatch has the number of elements, how many of
// them differ, and the first differences; the caller fills in the rest. A last element that is cut
// short counts as one. REQUIRES: expected.size() == found.size().
std::optional<Mismatch> compare(schema::ElementType type, Bytes expected, Bytes found);

}  // namespace lightmetal::replay
