#pragma once

#include <cstddef>
#include <lightmetal/replay.hpp>
#include <optional>

#include "base/digest.h"
#include "schema/types_generated.h"

namespace lightmetal::replay {

// How many bytes an element has.
size_t size_of(schema::ElementType type);

// Compares bit by bit. Nothing when all is equal; otherwise a mismatch whose elements, their number
// and the first differences are set. A last element that is cut short counts as one. REQUIRES:
// expected.size() == found.size().
std::optional<Mismatch> compare(schema::ElementType type, Bytes expected, Bytes found);

}  // namespace lightmetal::replay
