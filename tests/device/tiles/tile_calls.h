#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/device/tiles/tile_program.h"

// The table of tile_api_test: calls of the compute kernel API on tiles, each with what it must
// give.
namespace lightmetal::device::testing {

using Values = std::vector<double>;

// What a call works on: four tiles of circular buffer 0, four of 1, and a scaler in 2.
struct Operands {
  Tile a[4];
  Tile b[4];
  Tile scaler;
};

inline double at(const Tile& tile, uint32_t row, uint32_t column) {
  return tile[in_faces(row, column)];
}

// A value for each element, and the sum of the magnitudes that make it up.
struct Expected {
  Values values = Values(kTileElements, 0);
  Values sizes = Values(kTileElements, 0);

  void add(uint32_t row, uint32_t column, double term) {
    values[in_faces(row, column)] += term;
    sizes[in_faces(row, column)] += std::abs(term);
  }
  void set(uint32_t row, uint32_t column, double value) { values[in_faces(row, column)] = value; }
};

using Reference = std::function<Expected(const Operands&)>;
enum class Kind { kExact, kSum, kEdges };  // kEdges: exact, and also on infinities and NaN

struct Call {
  std::string code;  // leaves its result in a tile of DST
  Kind kind;
  Reference reference;
  uint32_t dst = 0;
};

std::vector<Call> all_calls();

}  // namespace lightmetal::device::testing
