#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>
#include <variant>

namespace lightmetal {

// Keeps numbers, such as addresses or ids, as ranges that neither overlap nor touch: an added range
// joins the ranges that it overlaps or touches. Each range has a label, that of the last addition
// that made or enlarged it. Not thread-safe.
template <class Label = std::monostate>
class RangeSet {
 public:
  struct Rest {
    uint64_t last = 0;  // the range's last number
    Label label = {};
  };
  using Ranges = std::map<uint64_t, Rest>;  // by their first number

  // Adds the numbers from `first` to `last`, both included, and returns how many of them are new.
  // Changes nothing when none is. REQUIRES: first <= last, and not all numbers at once. Amortized
  // logarithmic in the number of ranges.
  uint64_t add(uint64_t first, uint64_t last, Label label = {}) {
    auto range = ranges_.upper_bound(first);
    if (range != ranges_.begin() && joins(std::prev(range)->second.last, first)) --range;
    if (range != ranges_.end() && range->first <= first && last <= range->second.last) return 0;
    uint64_t added = last - first + 1;
    uint64_t joined_first = first;
    Rest joined{last, std::move(label)};
    while (range != ranges_.end() && joins(last, range->first)) {
      // For ranges that only touch, the difference of the bounds is -1, modulo 2^64, and the sum 0.
      added -= std::min(range->second.last, last) - std::max(range->first, first) + 1;
      joined_first = std::min(joined_first, range->first);
      joined.last = std::max(joined.last, range->second.last);
      range = ranges_.erase(range);
    }
    ranges_.emplace_hint(range, joined_first, std::move(joined));
    return added;
  }

  // The range that has `number`; null when none has it.
  const typename Ranges::value_type* find(uint64_t number) const {
    const auto behind = ranges_.upper_bound(number);
    if (behind == ranges_.begin() || std::prev(behind)->second.last < number) return nullptr;
    return &*std::prev(behind);
  }

  // In ascending order.
  const Ranges& ranges() const { return ranges_; }

 private:
  // Whether no number lies between a range that ends with `last` and one that begins with `first`.
  // REQUIRES: the second range does not lie before the first one.
  static bool joins(uint64_t last, uint64_t first) { return first <= last || first - 1 == last; }

  Ranges ranges_;
};

}  // namespace lightmetal
