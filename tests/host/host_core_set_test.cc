// Sets of cores against std::set, in grids of all sizes: most fit into what a set has inside.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <random>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "host/core_set.h"

namespace lightmetal::host {
namespace {

using Expected = std::set<Core>;

// Both cores included.
struct CoreRange {
  Core first;
  Core last;
};

absl::StatusOr<CoreSet> set_of(const std::vector<CoreRange>& ranges) {
  CoreSet set;
  for (const CoreRange& range : ranges) {
    if (absl::Status status = set.add_range(range.first, range.last); !status.ok()) return status;
  }
  return set;
}

CoreRange range(uint32_t x, uint32_t y, uint32_t end_x, uint32_t end_y) {
  return {{x, y}, {end_x, end_y}};
}

// Up to four rectangles that do not overlap, in the largest grid or in a corner of it.
Expected add_random(std::mt19937& random, std::vector<CoreRange>& ranges) {
  const uint32_t size = std::vector<uint32_t>{1, 4, 10, 11, kMaxGrid}[random() % 5];
  Expected cores;
  for (uint32_t tries = random() % 5; tries > 0; --tries) {
    const uint32_t x = random() % size, y = random() % size;
    const uint32_t end_x = std::min(size - 1, x + static_cast<uint32_t>(random() % 4));
    const uint32_t end_y = std::min(size - 1, y + static_cast<uint32_t>(random() % 4));
    Expected more;
    for (uint32_t row = y; row <= end_y; ++row) {
      for (uint32_t column = x; column <= end_x; ++column) more.insert({column, row});
    }
    if (std::any_of(more.begin(), more.end(), [&](const Core& c) { return cores.contains(c); })) {
      continue;
    }
    cores.merge(more);
    ranges.push_back(range(x, y, end_x, end_y));
  }
  return cores;
}

Expected contents(const CoreSet& set) {
  Expected cores;
  set.for_each([&](const Core& core) { cores.insert(core); });
  return cores;
}

Core end_of(const Expected& cores) {
  Core end;
  for (const Core& core : cores) {
    end = {std::max(end.x, core.x + 1), std::max(end.y, core.y + 1)};
  }
  return end;
}

// The cores of all ranges in a string, which names each core once.
Expected named_in(const std::string& text) {
  static const std::regex range("\\(x=(\\d+),y=(\\d+)\\) - \\(x=(\\d+),y=(\\d+)\\)");
  Expected cores;
  for (std::sregex_iterator match(text.begin(), text.end(), range), end; match != end; ++match) {
    const auto number = [&](int group) {
      return static_cast<uint32_t>(std::stoul((*match)[group]));
    };
    for (uint32_t y = number(2); y <= number(4); ++y) {
      for (uint32_t x = number(1); x <= number(3); ++x)
        EXPECT_TRUE(cores.insert({x, y}).second) << text;
    }
  }
  return cores;
}

void expect_equal(const CoreSet& set, const Expected& expected) {
  EXPECT_EQ(contents(set), expected);
  EXPECT_EQ(named_in(set.text()), expected) << set.text();
  EXPECT_EQ(set.count(), expected.size());
  EXPECT_EQ(set.empty(), expected.empty());
  EXPECT_EQ(set.end(), end_of(expected));
}

TEST(CoreSetTest, IsWhatASetOfCoresIs) {
  const uint32_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 3000 && !::testing::Test::HasFailure(); ++round) {
    std::vector<CoreRange> ranges, other_ranges;
    const Expected cores = add_random(random, ranges), others = add_random(random, other_ranges);
    const absl::StatusOr<CoreSet> set = set_of(ranges), other = set_of(other_ranges);
    ASSERT_TRUE(set.ok() && other.ok()) << set.status() << other.status();
    expect_equal(*set, cores);
    EXPECT_EQ(set->contains(*other),
              std::includes(cores.begin(), cores.end(), others.begin(), others.end()));
    EXPECT_EQ(set->intersects(*other),
              std::any_of(others.begin(), others.end(),
                          [&](const Core& c) { return cores.contains(c); }));
    const Core core{static_cast<uint32_t>(random() % 80), static_cast<uint32_t>(random() % 80)};
    EXPECT_EQ(set->contains(core), cores.contains(core));
    EXPECT_EQ(set->fits(core), end_of(cores).x <= core.x && end_of(cores).y <= core.y);
    Expected shared;
    std::set_intersection(cores.begin(), cores.end(), others.begin(), others.end(),
                          std::inserter(shared, shared.end()));
    expect_equal(set->intersection(*other), shared);
    CoreSet both = *set;
    both.add(*other);
    Expected expected = cores;
    expected.insert(others.begin(), others.end());
    expect_equal(both, expected);
  }
}

TEST(CoreSetTest, RefusesWhatIsNoSetInTheLargestGrid) {
  EXPECT_FALSE(set_of({range(1, 0, 0, 0)}).ok());
  EXPECT_FALSE(set_of({range(0, 1, 0, 0)}).ok());
  EXPECT_FALSE(set_of({range(0, 0, 0, kMaxGrid)}).ok());
  EXPECT_FALSE(set_of({range(0, 0, kMaxGrid, 0)}).ok());
  EXPECT_FALSE(set_of({range(0, 0, 3, 3), range(3, 3, 3, 63)}).ok());
  EXPECT_TRUE(set_of({range(0, 0, 63, 63)}).ok());
}

TEST(CoreSetTest, OfAGridHasAllOfIt) {
  EXPECT_EQ(CoreSet::of_grid({kMaxGrid, kMaxGrid}).count(), kMaxGrid * kMaxGrid);
  EXPECT_EQ(CoreSet::of_grid({8, 11}).end(), (Core{8, 11}));
  EXPECT_EQ(contents(CoreSet::of(Core{3, 40})), (Expected{{3, 40}}));
}

TEST(CoreSetTest, SaysItsCoresInFewRanges) {
  EXPECT_EQ(CoreSet().text(), "{}");
  EXPECT_EQ(set_of({range(0, 0, 7, 7)})->text(), "{[(x=0,y=0) - (x=7,y=7)]}");
  EXPECT_EQ(set_of({range(0, 0, 1, 0), range(0, 1, 1, 3)})->text(), "{[(x=0,y=0) - (x=1,y=3)]}");
  EXPECT_EQ(set_of({range(0, 0, 1, 0), range(3, 0, 3, 1)})->text(),
            "{[(x=0,y=0) - (x=1,y=0)], [(x=3,y=0) - (x=3,y=1)]}");
  EXPECT_EQ(set_of({range(63, 62, 63, 63)})->text(), "{[(x=63,y=62) - (x=63,y=63)]}");
}

}  // namespace
}  // namespace lightmetal::host
