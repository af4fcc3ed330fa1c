#include "base/range_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace lightmetal {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();

template <class Label>
std::vector<std::pair<uint64_t, uint64_t>> ranges_of(const RangeSet<Label>& set) {
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  for (const auto& [first, rest] : set.ranges()) ranges.emplace_back(first, rest.last);
  return ranges;
}

void expect_same(const RangeSet<>& set, const std::set<uint64_t>& numbers) {
  for (uint64_t number = 0; number < 120; ++number) {
    ASSERT_EQ(set.find(number) != nullptr, numbers.contains(number)) << number;
  }
  uint64_t least = 0;  // where the next range may begin: between two is a number that is in none
  for (const auto& [first, rest] : set.ranges()) {
    ASSERT_GE(first, least);
    least = rest.last + 2;
  }
}

TEST(RangeSetTest, WhatTouchesOrOverlapsIsJoined) {
  RangeSet<> set;
  EXPECT_EQ(set.add(10, 19), 10);
  EXPECT_EQ(set.add(30, 39), 10);
  EXPECT_EQ(set.add(41, 41), 1);
  EXPECT_THAT(ranges_of(set), ElementsAre(Pair(10, 19), Pair(30, 39), Pair(41, 41)));
  EXPECT_EQ(set.add(20, 20), 1);
  EXPECT_EQ(set.add(25, 40), 6);
  EXPECT_THAT(ranges_of(set), ElementsAre(Pair(10, 20), Pair(25, 41)));
  EXPECT_EQ(set.add(0, 100), 101 - 11 - 17);
  EXPECT_THAT(ranges_of(set), ElementsAre(Pair(0, 100)));
}

TEST(RangeSetTest, TheEndsOfAllNumbersAreNumbersToo) {
  RangeSet<> set;
  EXPECT_EQ(set.add(kMax, kMax), 1);
  EXPECT_EQ(set.add(0, 0), 1);
  EXPECT_THAT(ranges_of(set), ElementsAre(Pair(0, 0), Pair(kMax, kMax)));
  EXPECT_EQ(set.add(0, 1), 1);
  EXPECT_EQ(set.add(kMax - 1, kMax), 1);
  EXPECT_THAT(ranges_of(set), ElementsAre(Pair(0, 1), Pair(kMax - 1, kMax)));
  EXPECT_EQ(set.find(kMax)->first, kMax - 1);
  EXPECT_EQ(set.find(2), nullptr);
}

TEST(RangeSetTest, ARangeHasTheLabelOfTheLastAddition) {
  RangeSet<std::string> set;
  set.add(1, 1, "first");
  set.add(3, 3, "second");
  EXPECT_EQ(set.find(1)->second.label, "first");
  set.add(2, 2, "third");
  EXPECT_EQ(set.find(1)->second.label, "third");
  EXPECT_EQ(set.find(3)->second.label, "third");
  EXPECT_EQ(set.add(1, 2, "nothing new"), 0);
  EXPECT_EQ(set.find(1)->second.label, "third");
}

// The same numbers one by one.
TEST(RangeSetTest, HoldsWhatASetOfNumbersHolds) {
  const uint32_t seed = std::random_device()();
  SCOPED_TRACE(absl::StrCat("seed ", seed));
  std::minstd_rand random(seed);
  for (int round = 0; round < 200; ++round) {
    RangeSet<> set;
    std::set<uint64_t> numbers;
    for (int i = 0; i < 30; ++i) {
      const uint64_t first = random() % 100;
      const uint64_t last = first + random() % 12;
      const size_t before = numbers.size();
      for (uint64_t number = first; number <= last; ++number) numbers.insert(number);
      ASSERT_EQ(set.add(first, last), numbers.size() - before) << first << " to " << last;
      expect_same(set, numbers);
    }
  }
}

}  // namespace
}  // namespace lightmetal
