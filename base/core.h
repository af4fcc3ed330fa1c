#pragma once

#include <compare>
#include <cstdint>

namespace lightmetal {

// A worker core by its logical coordinate: (0, 0) is the top left core of the compute grid.
struct Core {
  uint32_t x = 0;
  uint32_t y = 0;

  friend auto operator<=>(const Core&, const Core&) = default;
};

}  // namespace lightmetal
