#include "schema/diff/align.h"

#include <algorithm>
#include <deque>

#include "absl/container/flat_hash_map.h"

namespace lightmetal::schema {
namespace {

using Sequence = absl::Span<const uint64_t>;

// Beyond so many insertions and removals between two anchors, the shortest script is not looked
// for: it takes time and memory by the square.
constexpr int kMostSteps = 600;
// Anchors between anchors, and so on: hostile sequences would nest them without end.
constexpr int kMostNesting = 40;

struct Stretch {
  size_t a_begin, a_end, b_begin, b_end;
};

// The shortest edit script (E. W. Myers, "An O(ND) difference algorithm and its variations", 1986).
class ShortestScript {
 public:
  ShortestScript(Sequence a, Sequence b)
      : a_(a), b_(b), x_count_(static_cast<int>(a.size())), y_count_(static_cast<int>(b.size())) {}

  // The pairs; none when the script has more than kMostSteps.
  Pairs find() {
    const int most = std::min(x_count_ + y_count_, kMostSteps);
    std::vector<int> reach(2 * most + 3, 0);  // by diagonal, from -most - 1 on
    for (int steps = 0; steps <= most; ++steps) {
      history_.emplace_back(reach.begin() + (most + 1 - steps - 1),
                            reach.begin() + (most + 1 + steps + 2));
      for (int diagonal = -steps; diagonal <= steps; diagonal += 2) {
        int& x = reach[most + 1 + diagonal];
        x = begin_of(diagonal, steps, reach[most + diagonal], reach[most + 2 + diagonal]);
        x = slide(x, diagonal);
        if (x >= x_count_ && x - diagonal >= y_count_) return backtrack(steps, diagonal);
      }
    }
    return {};
  }

 private:
  // Where a path on the diagonal begins: below or right of the better of its neighbours.
  static int begin_of(int diagonal, int steps, int left, int right) {
    const bool down = diagonal == -steps || (diagonal != steps && left < right);
    return down ? right : left + 1;
  }

  int slide(int x, int diagonal) const {
    while (x < x_count_ && x - diagonal >= 0 && x - diagonal < y_count_ &&
           a_[x] == b_[x - diagonal])
      ++x;
    return x;
  }

  Pairs backtrack(int steps, int diagonal) const {
    Pairs pairs;
    int x = x_count_;
    for (; steps >= 0; --steps) {
      // What the neighbours had before this step; the middle is diagonal 0.
      const std::vector<int>& before = history_[steps];
      const int left = before[steps + 1 + diagonal - 1], right = before[steps + 1 + diagonal + 1];
      const bool down = diagonal == -steps || (diagonal != steps && left < right);
      const int begin = steps == 0 ? 0 : begin_of(diagonal, steps, left, right);
      for (; x > begin; --x) pairs.emplace_back(x - 1, x - 1 - diagonal);
      if (steps == 0) break;
      x = down ? right : left;
      diagonal += down ? 1 : -1;
    }
    std::reverse(pairs.begin(), pairs.end());
    return pairs;
  }

  const Sequence a_, b_;
  const int x_count_, y_count_;
  std::vector<std::vector<int>> history_;
};

// Elements that each stretch has once, in an order that both have: the longest such row.
Pairs anchors_of(Sequence a, Sequence b) {
  struct Count {
    size_t in_a = 0, in_b = 0, at_b = 0;
  };
  absl::flat_hash_map<uint64_t, Count> counts;
  for (const uint64_t key : a) ++counts[key].in_a;
  for (size_t i = 0; i < b.size(); ++i) {
    Count& count = counts[b[i]];
    ++count.in_b;
    count.at_b = i;
  }
  struct Card {
    size_t a, b, before;  // before: the card below it in the pile on the left
  };
  constexpr size_t kNone = SIZE_MAX;
  std::vector<Card> cards;
  std::vector<size_t> tops;  // the piles of patience sorting, by their top cards
  for (size_t i = 0; i < a.size(); ++i) {
    const Count& count = counts[a[i]];
    if (count.in_a != 1 || count.in_b != 1) continue;
    const auto pile = std::partition_point(tops.begin(), tops.end(),
                                           [&](size_t top) { return cards[top].b < count.at_b; });
    cards.push_back({i, count.at_b, pile == tops.begin() ? kNone : *(pile - 1)});
    if (pile == tops.end()) {
      tops.push_back(cards.size() - 1);
    } else {
      *pile = cards.size() - 1;
    }
  }
  Pairs anchors;
  for (size_t card = tops.empty() ? kNone : tops.back(); card != kNone; card = cards[card].before) {
    anchors.emplace_back(cards[card].a, cards[card].b);
  }
  std::reverse(anchors.begin(), anchors.end());
  return anchors;
}

class Aligner {
 public:
  Aligner(Sequence a, Sequence b) : a_(a), b_(b) {}

  Pairs run() {
    match({0, a_.size(), 0, b_.size()}, 0);
    return std::move(pairs_);
  }

 private:
  void match(Stretch s, int depth) {
    while (s.a_begin < s.a_end && s.b_begin < s.b_end && a_[s.a_begin] == b_[s.b_begin]) {
      pairs_.emplace_back(s.a_begin++, s.b_begin++);
    }
    size_t same_end = 0;
    while (s.a_begin < s.a_end && s.b_begin < s.b_end && a_[s.a_end - 1] == b_[s.b_end - 1]) {
      --s.a_end;
      --s.b_end;
      ++same_end;
    }
    if (s.a_begin < s.a_end && s.b_begin < s.b_end) match_middle(s, depth);
    for (size_t i = 0; i < same_end; ++i) pairs_.emplace_back(s.a_end + i, s.b_end + i);
  }

  void match_middle(const Stretch& s, int depth) {
    const Sequence a = a_.subspan(s.a_begin, s.a_end - s.a_begin);
    const Sequence b = b_.subspan(s.b_begin, s.b_end - s.b_begin);
    const Pairs anchors = depth < kMostNesting ? anchors_of(a, b) : Pairs();
    if (anchors.empty()) {
      for (const auto& [i, j] : ShortestScript(a, b).find())
        pairs_.emplace_back(s.a_begin + i, s.b_begin + j);
      return;
    }
    Stretch before = s;
    for (const auto& [i, j] : anchors) {
      before.a_end = s.a_begin + i;
      before.b_end = s.b_begin + j;
      match(before, depth + 1);
      pairs_.emplace_back(before.a_end, before.b_end);
      before = {before.a_end + 1, s.a_end, before.b_end + 1, s.b_end};
    }
    match(before, depth + 1);
  }

  const Sequence a_, b_;
  Pairs pairs_;
};

}  // namespace

Pairs align(Sequence a, Sequence b) { return Aligner(a, b).run(); }

Pairs align_in_order(Sequence a, Sequence b) {
  absl::flat_hash_map<uint64_t, std::deque<size_t>> places;
  for (size_t j = 0; j < b.size(); ++j) places[b[j]].push_back(j);
  Pairs pairs;
  size_t next = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const auto found = places.find(a[i]);
    if (found == places.end()) continue;
    std::deque<size_t>& left = found->second;
    while (!left.empty() && left.front() < next) left.pop_front();
    if (left.empty()) continue;
    pairs.emplace_back(i, left.front());
    next = left.front() + 1;
  }
  return pairs;
}

}  // namespace lightmetal::schema
