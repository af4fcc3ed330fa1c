#include "tests/random_programs/layout.h"

namespace random_programs {

bool is_sharded(const Shape& shape) {
  return shape.layout != Layout::kInterleaved && shape.layout != Layout::kSingleBank;
}
bool in_dram(const Shape& shape) { return shape.memory == Memory::kDram; }
uint32_t banks_of(Memory memory) { return memory == Memory::kDram ? kDramBanks : kWorkers; }
uint32_t words_per_page(const Shape& shape) {
  const uint32_t alignment = in_dram(shape) ? 32 : 16;
  return (shape.page_size + alignment - 1) / alignment * alignment / 4;
}

bool contains(const Rect& outer, const Rect& inner) {
  return outer.x0 <= inner.x0 && outer.y0 <= inner.y0 && inner.x1 <= outer.x1 &&
         inner.y1 <= outer.y1;
}
bool overlap(const Rect& a, const Rect& b) {
  return a.x0 <= b.x1 && b.x0 <= a.x1 && a.y0 <= b.y1 && b.y0 <= a.y1;
}
bool is_rect(const Rect& rect, uint32_t columns, uint32_t rows) {
  return rect.x0 <= rect.x1 && rect.y0 <= rect.y1 && rect.x1 < columns && rect.y1 < rows;
}
uint32_t count_of(const Rect& rect) { return (rect.x1 - rect.x0 + 1) * (rect.y1 - rect.y0 + 1); }

std::vector<uint32_t> banks_in(const Rect& rect, bool column_major) {
  std::vector<uint32_t> banks;
  if (column_major) {
    for (uint32_t x = rect.x0; x <= rect.x1; ++x) {
      for (uint32_t y = rect.y0; y <= rect.y1; ++y) banks.push_back(y * kGridSize + x);
    }
  } else {
    for (uint32_t y = rect.y0; y <= rect.y1; ++y) {
      for (uint32_t x = rect.x0; x <= rect.x1; ++x) banks.push_back(y * kGridSize + x);
    }
  }
  return banks;
}

namespace {

// The shard of a page, and the page's number in the shard.
std::pair<uint32_t, uint32_t> shard_of(const Shape& shape, uint32_t page) {
  const auto [rows, columns] = shape.shard;
  if (shape.layout == Layout::kHeight) return {page / (rows * columns), page % (rows * columns)};
  const uint32_t row = page / shape.tensor[1], column = page % shape.tensor[1];
  const uint32_t shards_in_row = (shape.tensor[1] + columns - 1) / columns;
  return {row / rows * shards_in_row + column / columns, row % rows * columns + column % columns};
}

// The bank of a page, and the number of the page's slot there.
std::pair<uint32_t, uint32_t> slot_of(const Shape& shape, const std::vector<uint32_t>& banks,
                                      uint32_t page) {
  if (!is_sharded(shape)) {
    return {page % banks_of(shape.memory), page / banks_of(shape.memory)};
  }
  const auto [shard, within] = shard_of(shape, page);
  return {shard < banks.size() ? banks[shard] : kWorkers, within};
}

}  // namespace

uint32_t words_per_bank(const Shape& shape) {
  const uint32_t banks = banks_of(shape.memory);
  const uint32_t slots =
      is_sharded(shape) ? shape.shard[0] * shape.shard[1] : (shape.pages + banks - 1) / banks;
  return slots * words_per_page(shape);
}

std::vector<Place> places_of(const Shape& shape) {
  const std::vector<uint32_t> banks =
      is_sharded(shape) ? banks_in(shape.grid, shape.column_major) : std::vector<uint32_t>{};
  std::vector<Place> places;
  for (uint32_t page = 0; page < shape.pages; ++page) {
    const auto [bank, slot] = slot_of(shape, banks, page);
    for (uint32_t word = 0; word < shape.page_size / 4; ++word) {
      places.push_back({bank, slot * words_per_page(shape) + word});
    }
  }
  return places;
}

bool is_valid(const Shape& shape) {
  const uint32_t size = shape.page_size * shape.pages;
  if (shape.page_size == 0 || shape.page_size % 4 != 0 || shape.pages == 0) return false;
  if (size > 256 * 1024) return false;
  if (shape.memory == Memory::kL1Small && words_per_bank(shape) > 256) return false;
  if (shape.layout == Layout::kSingleBank) return shape.pages == 1;
  if (!is_sharded(shape)) return true;
  if (shape.memory == Memory::kL1Small || shape.shard[0] == 0 || shape.shard[1] == 0) return false;
  if (!(in_dram(shape) ? is_rect(shape.grid, kDramBanks, 1) : is_rect(shape.grid))) return false;
  if (shape.tensor[0] * shape.tensor[1] != shape.pages) return false;
  const std::vector<uint32_t> banks = banks_in(shape.grid, shape.column_major);
  for (uint32_t page = 0; page < shape.pages; ++page) {
    if (shard_of(shape, page).first >= banks.size()) return false;
  }
  return true;
}

}  // namespace random_programs
