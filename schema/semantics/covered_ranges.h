#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>

namespace lightmetal::schema::semantics {

// Ranges of addresses in which each address counts once.
class CoveredRanges {
 public:
  // How many addresses from `begin` to `end` were in no range before. They are in one from now on.
  // REQUIRES: begin <= end. Amortized logarithmic in the number of ranges that do not touch.
  uint64_t add(uint64_t begin, uint64_t end) {
    uint64_t added = end - begin;
    uint64_t joined_begin = begin;
    uint64_t joined_end = end;
    auto range = ends_.upper_bound(begin);
    if (range != ends_.begin() && std::prev(range)->second >= begin) --range;
    while (range != ends_.end() && range->first <= end) {
      added -= std::min(range->second, end) - std::max(range->first, begin);
      joined_begin = std::min(joined_begin, range->first);
      joined_end = std::max(joined_end, range->second);
      range = ends_.erase(range);
    }
    ends_.emplace(joined_begin, joined_end);
    return added;
  }

 private:
  std::map<uint64_t, uint64_t> ends_;  // by where a range begins; no two touch
};

}  // namespace lightmetal::schema::semantics
