#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tests/random_programs/steps.h"

// Where the words of buffers lie: each layout reckoned page by page, without the library's help.
namespace random_programs {

inline constexpr uint32_t kDramBanks = 12;
inline constexpr uint32_t kWorkers = kGridSize * kGridSize;

// ---- Cores ----
bool contains(const Rect& outer, const Rect& inner);
bool overlap(const Rect& a, const Rect& b);
bool is_rect(const Rect& rect, uint32_t columns = kGridSize, uint32_t rows = kGridSize);
uint32_t count_of(const Rect& rect);
// In the order in which shards and arguments are given to them.
std::vector<uint32_t> banks_in(const Rect& rect, bool column_major = false);

// ---- Shapes ----
bool is_valid(const Shape& shape);
bool is_sharded(const Shape& shape);
bool in_dram(const Shape& shape);
uint32_t banks_of(Memory memory);
uint32_t words_per_page(const Shape& shape);  // with what fills the page up in memory
uint32_t words_per_bank(const Shape& shape);

// Where a word of a buffer lies.
struct Place {
  uint32_t bank = 0, word = 0;
};
// Of all its words, in their order.
std::vector<Place> places_of(const Shape& shape);

}  // namespace random_programs
