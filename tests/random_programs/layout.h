#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tests/random_programs/steps.h"

// Where the words of buffers lie: each layout computed page by page, without the library, whose
// computation is what is tested.
namespace random_programs {

inline constexpr uint32_t kDramBanks = 12;
inline constexpr uint32_t kWorkers = kGridSize * kGridSize;

// ---- Cores ----
bool contains(const Rect& outer, const Rect& inner);
bool overlap(const Rect& a, const Rect& b);
bool is_rect(const Rect& rect, uint32_t columns = kGridSize, uint32_t rows = kGridSize);
uint32_t count_of(const Rect& rect);
// The banks of a rectangle of cores, in the order in which shards and arguments are given to them.
std::vector<uint32_t> banks_in(const Rect& rect, bool column_major = false);

// ---- Shapes ----
bool is_valid(const Shape& shape);
bool is_sharded(const Shape& shape);
bool in_dram(const Shape& shape);
uint32_t banks_of(Memory memory);
uint32_t words_per_page(const Shape& shape);  // with the padding of the page in memory
uint32_t words_per_bank(const Shape& shape);

// The place of a word of a buffer: a bank, and the number of the word there.
struct Place {
  uint32_t bank = 0, word = 0;
};
// The places of all words of a buffer, in their order.
std::vector<Place> places_of(const Shape& shape);

}  // namespace random_programs
