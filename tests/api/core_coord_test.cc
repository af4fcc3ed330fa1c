#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>
#include <sstream>
#include <tt-metalium/core_coord.hpp>
#include <tt-metalium/experimental/metal2_host_api/node_coord.hpp>
#include <unordered_set>
#include <variant>

#include "tests/support/thrown_by.h"

namespace {

using lightmetal::testing::thrown_by;
using testing::ElementsAre;
using testing::HasSubstr;

std::set<CoreCoord> cells(const CoreRangeSet& set) {
  std::set<CoreCoord> result;
  for (const CoreRange& range : set) result.insert(range.begin(), range.end());
  return result;
}

TEST(CoreCoordTest, OrdersByColumnThenRowAndHasText) {
  EXPECT_LT(CoreCoord(0, 5), CoreCoord(1, 0));
  EXPECT_LT(CoreCoord(1, 0), CoreCoord(1, 1));
  EXPECT_EQ((CoreCoord{3, 4}).str(), "(x=3,y=4)");
  std::ostringstream os;
  os << CoreCoord(1, 2);
  EXPECT_EQ(os.str(), "(x=1,y=2)");
  EXPECT_EQ(fmt::format("{}", CoreRange({0, 1}, {2, 3})), "[(x=0,y=1) - (x=2,y=3)]");
  EXPECT_EQ(CoreRangeSet({CoreRange({0, 0}), CoreRange({2, 2})}).str(),
            "{[(x=0,y=0) - (x=0,y=0)], [(x=2,y=2) - (x=2,y=2)]}");
}

TEST(CoreCoordTest, HashesTellCoresApart) {
  std::unordered_set<std::size_t> hashes;
  for (std::size_t x = 0; x < 16; ++x) {
    for (std::size_t y = 0; y < 16; ++y) hashes.insert(std::hash<CoreCoord>{}({x, y}));
  }
  EXPECT_EQ(hashes.size(), 256u);
}

TEST(CoreRangeTest, EndBeforeStartIsRejectedWithBothNamed) {
  const std::string error = thrown_by([] { CoreRange({2, 0}, {1, 5}); });
  EXPECT_THAT(error, HasSubstr("(x=1,y=5)"));
  EXPECT_THAT(error, HasSubstr("(x=2,y=0)"));
}

TEST(CoreRangeTest, IteratesRowByRow) {
  const CoreRange range({1, 1}, {2, 2});
  EXPECT_THAT(std::vector<CoreCoord>(range.begin(), range.end()),
              ElementsAre(CoreCoord(1, 1), CoreCoord(2, 1), CoreCoord(1, 2), CoreCoord(2, 2)));
  EXPECT_EQ(range.size(), 4u);
  EXPECT_EQ(range.grid_size(), CoreCoord(2, 2));
}

TEST(CoreRangeTest, MergesOnlyToRectangles) {
  const CoreRange range({0, 0}, {1, 1});
  EXPECT_EQ(range.merge(CoreRange({2, 0}, {3, 1})), CoreRange({0, 0}, {3, 1}));
  EXPECT_EQ(range.merge(CoreRange({1, 0}, {3, 1})), CoreRange({0, 0}, {3, 1}));
  EXPECT_EQ(range.merge(range), range);
  EXPECT_EQ(range.merge(CoreRange({0, 1}, {1, 1})), range);
  EXPECT_EQ(range.merge(CoreRange({1, 1})), std::nullopt) << "contained, with no extent in common";
  EXPECT_EQ(range.merge(CoreRange({0, 0}, {6, 4})), std::nullopt);
  EXPECT_EQ(range.merge(CoreRange({2, 0})), std::nullopt);
  EXPECT_EQ(range.merge(CoreRange({3, 0}, {4, 1})), std::nullopt);
}

TEST(CoreRangeTest, AdjacentRangesShareABorderAndNoCore) {
  const CoreRange range({1, 1}, {2, 2});
  EXPECT_TRUE(range.adjacent(CoreRange({3, 2}, {4, 4})));
  EXPECT_FALSE(range.adjacent(CoreRange({3, 3}, {4, 4})));
  EXPECT_FALSE(range.adjacent(CoreRange({2, 2}, {4, 4})));
}

TEST(CoreRangeSetTest, OverlapIsRejected) {
  EXPECT_THAT(thrown_by([] {
                CoreRangeSet({CoreRange({0, 0}, {2, 2}), CoreRange({2, 2}, {3, 3})});
              }),
              HasSubstr("overlap"));
}

TEST(CoreRangeSetTest, IsMadeFromEveryKindOfRanges) {
  const CoreRange a({0, 0}), b({1, 1});
  const CoreRangeSet expected({a, b});
  EXPECT_EQ(CoreRangeSet(std::set<CoreRange>{a, b}), expected);
  EXPECT_EQ(CoreRangeSet(std::vector<CoreRange>{a, b}), expected);
  const std::vector<CoreRange> ranges = {a, b};
  EXPECT_EQ(CoreRangeSet(tt::stl::Span<const CoreRange>(ranges)), expected);
  const std::variant<CoreRange, CoreRangeSet> from_core = CoreCoord(3, 3);
  EXPECT_EQ(std::get<CoreRange>(from_core), CoreRange({3, 3}));
}

TEST(CoreRangeSetTest, ContainsARangeThatSeveralRangesCover) {
  const CoreRangeSet set({CoreRange({0, 0}, {1, 3}), CoreRange({2, 0}, {3, 3})});
  EXPECT_TRUE(set.contains(CoreRange({1, 1}, {2, 2})));
  EXPECT_FALSE(set.contains(CoreRange({1, 1}, {4, 2})));
}

TEST(CoreRangeSetTest, BoundingBoxHoldsAllRanges) {
  EXPECT_EQ(CoreRangeSet({CoreRange({3, 0}), CoreRange({0, 2}, {1, 5})}).bounding_box(),
            CoreRange({0, 0}, {3, 5}));
  EXPECT_THROW(CoreRangeSet().bounding_box(), std::runtime_error);
}

TEST(CoreRangeSetTest, MergedRangesAreCanonical) {
  const CoreRangeSet rows({CoreRange({0, 1}, {3, 1}), CoreRange({0, 0}, {3, 0})});
  EXPECT_THAT(rows.merge_ranges().ranges(), ElementsAre(CoreRange({0, 0}, {3, 1})));
  const std::vector<CoreRange> overlapping = {CoreRange({0, 0}, {2, 2}), CoreRange({1, 1}, {3, 3})};
  EXPECT_THAT(
      CoreRangeSet().merge(overlapping).ranges(),
      ElementsAre(CoreRange({0, 0}, {2, 0}), CoreRange({0, 1}, {3, 2}), CoreRange({1, 3}, {3, 3})));
}

TEST(CoreRangeSetTest, AMergeUnitesRangesThatOverlapInEveryContainer) {
  const CoreRange a({0, 0}, {2, 2}), b({1, 1}, {3, 3});
  const std::vector<CoreRange> expected = {CoreRange({0, 0}, {2, 0}), CoreRange({0, 1}, {3, 2}),
                                           CoreRange({1, 3}, {3, 3})};
  const std::vector<CoreRange> ranges = {a, b};
  EXPECT_EQ(CoreRangeSet().merge(ranges).ranges(), expected);
  EXPECT_EQ(CoreRangeSet().merge(std::set<CoreRange>{a, b}).ranges(), expected);
  EXPECT_EQ(CoreRangeSet().merge(std::array<CoreRange, 2>{a, b}).ranges(), expected);
  EXPECT_EQ(CoreRangeSet().merge(tt::stl::Span<const CoreRange>(ranges)).ranges(), expected);
  EXPECT_EQ(CoreRangeSet(a).merge(CoreRangeSet(b)).ranges(), expected);
  EXPECT_EQ(CoreRangeSet(a).merge(b).ranges(), expected);
  EXPECT_EQ(CoreRangeSet(a).merge(std::set<CoreRange>{a, b}).ranges(), expected);
}

// By column, then row: a set of single cores in one row after another is taken in this order.
TEST(CoreRangeSetTest, MergedRangesAreSortedByStart) {
  const CoreRangeSet cores = CoreRangeSet(CoreRange({1, 1})).merge(CoreRangeSet(CoreRange({0, 2})));
  EXPECT_THAT(cores.ranges(), ElementsAre(CoreRange({0, 2}), CoreRange({1, 1})));
  const std::vector<CoreRange> bars = {CoreRange({0, 0}, {1, 5}), CoreRange({3, 0}, {4, 5}),
                                       CoreRange({0, 2}, {4, 3})};
  EXPECT_THAT(
      CoreRangeSet().merge(bars).ranges(),
      ElementsAre(CoreRange({0, 0}, {1, 1}), CoreRange({0, 2}, {4, 3}), CoreRange({0, 4}, {1, 5}),
                  CoreRange({3, 0}, {4, 1}), CoreRange({3, 4}, {4, 5})));
}

TEST(CoreRangeTest, CoresCanBeTakenByReference) {
  std::vector<CoreCoord> cores;
  for (CoreCoord& core : CoreRange({1, 1}, {2, 1})) cores.push_back(core);
  EXPECT_THAT(cores, ElementsAre(CoreCoord(1, 1), CoreCoord(2, 1)));
}

TEST(CoreRangeSetTest, HugeRangesCostNothing) {
  const std::size_t far = 0xFFFFFFFF;
  const CoreRangeSet whole(CoreRange({0, 0}, {far, far}));
  EXPECT_THAT(whole.subtract(CoreRange({0, 0}, {far, far - 1})).ranges(),
              ElementsAre(CoreRange({0, far}, {far, far})));
}

// A set of cores on an 8x8 grid as ranges that do not overlap, some of them large.
CoreRangeSet random_set(std::mt19937& random) {
  CoreRangeSet set;
  const auto coordinate = [&] { return random() % 8; };
  for (unsigned i = random() % 6; i != 0; --i) {
    const std::size_t x0 = coordinate(), x1 = coordinate(), y0 = coordinate(), y1 = coordinate();
    const CoreRange range({std::min(x0, x1), std::min(y0, y1)},
                          {std::max(x0, x1), std::max(y0, y1)});
    if (!set.intersects(range))
      set = CoreRangeSet([&] {
        auto ranges = set.ranges();
        ranges.push_back(range);
        return ranges;
      }());
  }
  return set;
}

TEST(CoreRangeSetTest, AlgebraAgreesWithSetsOfCores) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 2000; ++round) {
    const CoreRangeSet a = random_set(random), b = random_set(random);
    SCOPED_TRACE(a.str() + " and " + b.str());
    const std::set<CoreCoord> in_a = cells(a), in_b = cells(b);
    std::set<CoreCoord> either = in_a, both, only_a;
    either.insert(in_b.begin(), in_b.end());
    for (const CoreCoord& core : in_a) (in_b.count(core) != 0 ? both : only_a).insert(core);

    ASSERT_EQ(cells(a.merge(b)), either);
    ASSERT_EQ(cells(a.intersection(b)), both);
    ASSERT_EQ(cells(a.subtract(b)), only_a);
    ASSERT_EQ(cells(a.merge_ranges()), in_a);
    ASSERT_EQ(a.merge(b), b.merge(a));
    ASSERT_EQ(a.num_cores(), in_a.size());
    ASSERT_EQ(a.intersects(b), !both.empty());
    ASSERT_EQ(a.contains(b), both.size() == in_b.size());
  }
}

TEST(CoreSelectionTest, GridsAreCountedByColumnsOrByRows) {
  EXPECT_THAT(grid_to_cores(3, 2, 2),
              ElementsAre(CoreCoord(0, 0), CoreCoord(0, 1), CoreCoord(1, 0)));
  EXPECT_THAT(grid_to_cores(3, 2, 2, true),
              ElementsAre(CoreCoord(0, 0), CoreCoord(1, 0), CoreCoord(0, 1)));
  EXPECT_THAT(grid_to_cores(CoreCoord(1, 1), CoreCoord(2, 2), false),
              ElementsAre(CoreCoord(1, 1), CoreCoord(1, 2), CoreCoord(2, 1), CoreCoord(2, 2)));
  EXPECT_THROW(grid_to_cores(5, 2, 2), std::runtime_error);
}

TEST(CoreSelectionTest, CoresThatWorkComeBeforeThoseThatDoNot) {
  EXPECT_THAT(grid_to_cores_with_noop(0, 1, 2, 2),
              ElementsAre(CoreCoord(0, 0), CoreCoord(0, 1), CoreCoord(1, 0), CoreCoord(1, 1)));
  EXPECT_THAT(grid_to_cores_with_noop(0, 1, 2, 2, true),
              ElementsAre(CoreCoord(0, 0), CoreCoord(0, 1), CoreCoord(1, 0), CoreCoord(1, 1)));
  EXPECT_THAT(grid_to_cores_with_noop(1, 0, 3, 2, true),
              ElementsAre(CoreCoord(0, 0), CoreCoord(1, 0), CoreCoord(2, 0), CoreCoord(0, 1),
                          CoreCoord(1, 1), CoreCoord(2, 1)));
  const CoreRangeSet used(CoreRange({1, 0}, {1, 1}));
  const CoreRangeSet all(CoreRange({0, 0}, {1, 1}));
  EXPECT_THAT(grid_to_cores_with_noop(used, all),
              ElementsAre(CoreCoord(1, 0), CoreCoord(1, 1), CoreCoord(0, 0), CoreCoord(0, 1)));
  EXPECT_THROW(grid_to_cores_with_noop(2, 0, 2, 2), std::runtime_error);
}

TEST(CoreSelectionTest, SelectionCountsThroughTheRangesInOrder) {
  const CoreRangeSet set({CoreRange({4, 0}, {5, 0}), CoreRange({0, 0}, {0, 1})});
  EXPECT_THAT(corerange_to_cores(set),
              ElementsAre(CoreCoord(4, 0), CoreCoord(5, 0), CoreCoord(0, 0), CoreCoord(0, 1)));
  EXPECT_THAT(corerange_to_cores(set, 3),
              ElementsAre(CoreCoord(4, 0), CoreCoord(5, 0), CoreCoord(0, 0)));
  EXPECT_EQ(cells(select_from_corerangeset(set, 1, 2)), (std::set<CoreCoord>{{5, 0}, {0, 0}}));
  EXPECT_THROW(select_from_corerangeset(set, 1, 4), std::runtime_error);
}

TEST(CoreSelectionTest, ARectangleIsInTheFirstRangeThatHoldsIt) {
  const CoreRangeSet set({CoreRange({0, 1}, {2, 1}), CoreRange({4, 0}, {5, 3})});
  const auto rectangle = [&](uint32_t x, uint32_t y) {
    return select_contiguous_range_from_corerangeset(set, x, y);
  };
  EXPECT_EQ(rectangle(1, 1), CoreRange({0, 1}));
  EXPECT_EQ(rectangle(3, 1), CoreRange({0, 1}, {2, 1}));
  EXPECT_EQ(rectangle(1, 2), CoreRange({4, 0}, {4, 1}));
  EXPECT_EQ(rectangle(2, 4), CoreRange({4, 0}, {5, 3}));
  EXPECT_EQ(rectangle(3, 2), std::nullopt);
  EXPECT_EQ(rectangle(2, 5), std::nullopt);
  EXPECT_THROW(rectangle(0, 1), std::runtime_error);
  EXPECT_THROW(rectangle(1, 0), std::runtime_error);
}

TEST(CoreSelectionTest, RelativeCoordinatesCountFromTheFarEnd) {
  EXPECT_EQ(get_core_coord_from_relative({-1, 2}, {8, 8}), CoreCoord(7, 2));
}

// Functions of the Metal 2.0 API have other names and the same defaults.
TEST(NodeCoordTest, FunctionsForNodesAreThoseForCores) {
  namespace nodes = tt::tt_metal::experimental;
  const CoreRangeSet used(CoreRange({0, 0}, {0, 1})), all(CoreRange({0, 0}, {2, 1}));
  EXPECT_EQ(nodes::grid_to_nodes(3, 2, 2), grid_to_cores(3, 2, 2));
  EXPECT_EQ(nodes::grid_to_nodes({0, 0}, {2, 1}), grid_to_cores({0, 0}, {2, 1}));
  EXPECT_EQ(nodes::grid_to_nodes_with_noop(1, 0, 3, 2), grid_to_cores_with_noop(1, 0, 3, 2));
  EXPECT_EQ(nodes::grid_to_nodes_with_noop(used, all), grid_to_cores_with_noop(used, all));
  EXPECT_EQ(nodes::node_range_to_nodes(all), corerange_to_cores(all));
  EXPECT_EQ(nodes::node_range_to_nodes(all, 2), corerange_to_cores(all, 2));
  EXPECT_EQ(nodes::select_from_node_range_set(all, 1, 3), select_from_corerangeset(all, 1, 3));
  EXPECT_EQ(nodes::select_contiguous_range_from_node_range_set(all, 2, 1),
            select_contiguous_range_from_corerangeset(all, 2, 1));
  for (const bool row_wise : {false, true}) {
    EXPECT_EQ(nodes::grid_to_nodes(3, 2, 2, row_wise), grid_to_cores(3, 2, 2, row_wise));
    EXPECT_EQ(nodes::grid_to_nodes({0, 0}, {2, 1}, row_wise),
              grid_to_cores({0, 0}, {2, 1}, row_wise));
    EXPECT_EQ(nodes::grid_to_nodes_with_noop(1, 0, 3, 2, row_wise),
              grid_to_cores_with_noop(1, 0, 3, 2, row_wise));
    EXPECT_EQ(nodes::grid_to_nodes_with_noop(used, all, row_wise),
              grid_to_cores_with_noop(used, all, row_wise));
    EXPECT_EQ(nodes::node_range_to_nodes(all, 4, row_wise), corerange_to_cores(all, 4, row_wise));
    EXPECT_EQ(nodes::select_from_node_range_set(all, 1, 3, row_wise),
              select_from_corerangeset(all, 1, 3, row_wise));
  }
}

}  // namespace
