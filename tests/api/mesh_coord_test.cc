// Coordinates of meshes: shapes, coordinates, ranges, sets of ranges, containers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <limits>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tt-metalium/maybe_remote.hpp>
#include <tt-metalium/mesh_coord.hpp>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tt::tt_metal::distributed {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using BoundaryMode = MeshCoordinate::BoundaryMode;

// Expects that `statement` throws a std::runtime_error whose text holds each of the given parts.
template <typename Statement, typename... Parts>
void expect_throws(Statement statement, const Parts&... parts) {
  try {
    statement();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), ::testing::AllOf(HasSubstr(parts)...));
  }
}

std::vector<MeshCoordinate> coords_of(const MeshCoordinateRange& range) {
  return {range.begin(), range.end()};
}

TEST(MaybeRemote, PrintsItsValue) {
  struct Silent {};
  EXPECT_EQ(MaybeRemote<int>::local(42).to_string(), "MaybeRemote{42}");
  EXPECT_EQ(MaybeRemote<std::string>::local("here").to_string(), "MaybeRemote{here}");
  EXPECT_EQ(MaybeRemote<Silent>::local({}).to_string(), "MaybeRemote{local}");
  EXPECT_EQ(MaybeRemote<int>::remote().to_string(), "MaybeRemote{remote}");
}

TEST(MeshCoord, AShapeCountsItsDevices) {
  EXPECT_EQ(MeshShape(5).mesh_size(), 5u);
  EXPECT_EQ(MeshShape(2, 4).mesh_size(), 8u);
  const MeshShape shape(2, 3, 4);
  EXPECT_EQ(shape.dims(), 3u);
  EXPECT_EQ(shape.mesh_size(), 24u);
  EXPECT_EQ(shape[1], 3u);
  EXPECT_EQ(shape[-1], 4u);
  EXPECT_EQ(shape.get_stride(0), 12u);
  EXPECT_EQ(shape.get_stride(2), 1u);
  EXPECT_EQ(shape, MeshShape(std::vector<uint32_t>{2, 3, 4}));
  expect_throws([&] { shape[3]; }, "no dimension 3");
  expect_throws([&] { shape[-4]; }, "no dimension -4");
}

TEST(MeshCoord, ALineHasOneDimensionWithMoreThanOneDevice) {
  EXPECT_TRUE(MeshShape(1, 1).is_line_topology());
  EXPECT_TRUE(is_line_topology(MeshShape(1, 8)));
  EXPECT_FALSE(MeshShape(2, 4).is_line_topology());
}

TEST(MeshCoord, CoordinatesAreCountedInRowMajorOrder) {
  const MeshShape shape(2, 3);
  EXPECT_EQ(MeshCoordinate(0, 0).to_linear_index(shape), 0u);
  EXPECT_EQ(MeshCoordinate(0, 2).to_linear_index(shape), 2u);
  EXPECT_EQ(to_linear_index(shape, MeshCoordinate(1, 1)), 4u);
  expect_throws([&] { MeshCoordinate(2, 0).to_linear_index(shape); }, "MeshCoordinate(2, 0)",
                "outside of a mesh of MeshShape(2, 3)");
  expect_throws([&] { MeshCoordinate(0).to_linear_index(shape); }, "1 and with 2 dimensions");
  EXPECT_LT(MeshCoordinate(0, 2), MeshCoordinate(1, 0));
  expect_throws([] { (void)(MeshCoordinate(0) < MeshCoordinate(1, 0)); }, "1 and of 2 dimensions");
  expect_throws([] { MeshShape{std::initializer_list<uint32_t>{}}; }, "no dimension");
  EXPECT_EQ(MeshCoordinate::zero_coordinate(3), MeshCoordinate(0, 0, 0));
  MeshCoordinate changed(1, 2);
  changed[-1] = 7;
  EXPECT_THAT(changed.coords(), ElementsAre(1, 7));
}

TEST(MeshCoord, ARangeGoesThroughItsCoordinatesInRowMajorOrder) {
  const MeshCoordinateRange range(MeshCoordinate(1, 1), MeshCoordinate(2, 2));
  EXPECT_EQ(range.shape(), MeshShape(2, 2));
  EXPECT_THAT(std::vector<MeshCoordinate>(range.begin(), range.end()),
              ElementsAre(MeshCoordinate(1, 1), MeshCoordinate(1, 2), MeshCoordinate(2, 1),
                          MeshCoordinate(2, 2)));
  EXPECT_EQ(MeshCoordinateRange(MeshShape(2, 3)).end_coord(), MeshCoordinate(1, 2));
  expect_throws([] { MeshCoordinateRange(MeshCoordinate(1, 1), MeshCoordinate(2, 0)); },
                "cannot go from MeshCoordinate(1, 1) to MeshCoordinate(2, 0)");
  expect_throws([] { MeshCoordinateRange(MeshShape(0, 2)); }, "has no devices");
}

TEST(MeshCoord, RangesContainAndIntersect) {
  const MeshCoordinateRange all(MeshShape(2, 4)), left(MeshShape(2, 2));
  const MeshCoordinateRange middle(MeshCoordinate(0, 1), MeshCoordinate(0, 2));
  const MeshCoordinateRange corner(MeshCoordinate(1, 3));
  EXPECT_TRUE(all.contains(left));
  EXPECT_FALSE(left.contains(all));
  EXPECT_TRUE(left.contains(MeshCoordinate(1, 1)));
  EXPECT_FALSE(left.contains(MeshCoordinate(1, 2)));
  EXPECT_TRUE(left.intersects(middle));
  EXPECT_EQ(left.intersection(middle), MeshCoordinateRange(MeshCoordinate(0, 1)));
  EXPECT_FALSE(left.intersects(corner));
  EXPECT_EQ(left.intersection(corner), std::nullopt);
}

TEST(MeshCoord, ValuesPrintAndHash) {
  std::ostringstream out;
  out << MeshCoordinateRange(MeshShape(1, 2));
  EXPECT_EQ(out.str(), "MeshCoordinateRange(MeshCoordinate(0, 0), MeshCoordinate(0, 1))");
  EXPECT_EQ(fmt::format("{}", MeshShape(1, 2)), "MeshShape(1, 2)");
  const std::hash<MeshCoordinateRange> hash;
  EXPECT_EQ(hash(MeshCoordinateRange(MeshShape(1, 2))), hash(MeshCoordinateRange(MeshShape(1, 2))));
  EXPECT_NE(hash(MeshCoordinateRange(MeshShape(1, 2))), hash(MeshCoordinateRange(MeshShape(2, 1))));
}

TEST(MeshCoord, ANeighborIsFoundByItsDistance) {
  const MeshShape shape(2, 4);
  const MeshCoordinate here(0, 1);
  EXPECT_EQ(here.get_neighbor(shape, 1, 1), MeshCoordinate(0, 2));
  EXPECT_EQ(here.get_neighbor(shape, 1, 0), MeshCoordinate(1, 1));
  EXPECT_EQ(here.get_neighbor(shape, -1, -1, BoundaryMode::NONE), MeshCoordinate(0, 0));
  expect_throws([&] { MeshCoordinate(0, 4).get_neighbor(shape, 1, 1); }, "outside of a mesh");
  expect_throws([&] { here.get_neighbor(shape, 1, 2); }, "no dimension 2");
}

TEST(MeshCoord, BeyondTheLastDeviceIsTheFirstOrTheLastOrNone) {
  const MeshShape shape(2, 4);
  const MeshCoordinate here(1, 3);
  EXPECT_EQ(here.get_neighbor(shape, 1, 1), MeshCoordinate(1, 0)) << "it wraps unless it is told";
  EXPECT_EQ(here.get_neighbor(shape, 6, 1), MeshCoordinate(1, 1));
  EXPECT_EQ(here.get_neighbor(shape, -9, 1), MeshCoordinate(1, 2));
  EXPECT_EQ(here.get_neighbor(shape, 1, 1, BoundaryMode::CLAMP), here);
  EXPECT_EQ(here.get_neighbor(shape, -9, 1, BoundaryMode::CLAMP), MeshCoordinate(1, 0));
  EXPECT_EQ(here.get_neighbor(shape, 1, 0, BoundaryMode::NONE), std::nullopt);
  EXPECT_EQ(here.get_neighbor(shape, -4, 1, BoundaryMode::NONE), std::nullopt);
}

TEST(MeshCoord, ARangeThatWrapsGoesOnAtZero) {
  const MeshShape shape(2, 4);
  const MeshCoordinateRange wraps(MeshCoordinate(0, 3), MeshCoordinate(1, 1), shape);
  EXPECT_EQ(wraps.shape(), MeshShape(2, 3));
  EXPECT_THAT(coords_of(wraps),
              ElementsAre(MeshCoordinate(0, 3), MeshCoordinate(0, 0), MeshCoordinate(0, 1),
                          MeshCoordinate(1, 3), MeshCoordinate(1, 0), MeshCoordinate(1, 1)));
  EXPECT_EQ(wraps.get_boundary_mode(), BoundaryMode::WRAP);
  EXPECT_EQ(wraps.wraparound_shape(), shape);
  EXPECT_TRUE(wraps.contains(MeshCoordinate(1, 0)));
  EXPECT_FALSE(wraps.contains(MeshCoordinate(1, 2)));
  EXPECT_EQ(MeshCoordinateRange(shape).get_boundary_mode(), BoundaryMode::NONE);
  expect_throws([&] { MeshCoordinateRange(MeshCoordinate(0, 3), MeshCoordinate(0, 4), shape); },
                "outside of a mesh");
  const MeshCoordinateRange does_not(MeshCoordinate(0, 1), MeshCoordinate(1, 2), shape);
  EXPECT_EQ(does_not, MeshCoordinateRange(MeshCoordinate(0, 1), MeshCoordinate(1, 2)));
  EXPECT_NE(wraps,
            MeshCoordinateRange(MeshCoordinate(0, 3), MeshCoordinate(1, 1), MeshShape(2, 5)));
}

TEST(MeshCoord, RangesThatWrapIntersect) {
  const MeshShape ring(8);
  const auto range = [&](uint32_t first, uint32_t last) {
    return MeshCoordinateRange(MeshCoordinate(first), MeshCoordinate(last), ring);
  };
  EXPECT_EQ(range(6, 2).intersection(range(1, 4)), range(1, 2));
  EXPECT_EQ(range(6, 2).intersection(range(7, 0)), range(7, 0));
  EXPECT_EQ(range(6, 2).intersection(MeshCoordinateRange(ring)), range(6, 2));
  EXPECT_EQ(range(6, 2).intersection(range(3, 5)), std::nullopt);
  EXPECT_TRUE(range(6, 2).contains(range(7, 1)));
  EXPECT_FALSE(range(6, 2).contains(range(5, 1)));
  EXPECT_TRUE(range(6, 2).intersects(range(2, 6)));
  expect_throws([&] { range(6, 2).intersection(range(2, 6)); }, "meet in 2 pieces");
}

// Every pair of ranges on a small ring, against a walk over the coordinates.
TEST(MeshCoord, WhatRangesShareIsWhatTheirCoordinatesShare) {
  const MeshShape ring(5);
  const auto range = [&](uint32_t pair) {
    return MeshCoordinateRange(MeshCoordinate(pair / 5), MeshCoordinate(pair % 5), ring);
  };
  for (uint32_t i = 0; i < 25; ++i) {
    for (uint32_t j = 0; j < 25; ++j) {
      const auto a = coords_of(range(i)), b = coords_of(range(j));
      const std::set<MeshCoordinate> in_a(a.begin(), a.end()), in_b(b.begin(), b.end());
      std::vector<MeshCoordinate> only_a, both;
      for (const MeshCoordinate& coord : in_a)
        (in_b.contains(coord) ? both : only_a).push_back(coord);
      EXPECT_EQ(range(i).intersects(range(j)), !both.empty());
      EXPECT_EQ(range(i).contains(range(j)), both.size() == in_b.size());
      EXPECT_EQ(subtract(range(i), range(j)).coords(), only_a) << range(i) << range(j);
      MeshCoordinateRangeSet set(range(i));
      set.merge(range(j));
      std::set<MeshCoordinate> any = in_a;
      any.insert(in_b.begin(), in_b.end());
      EXPECT_EQ(set.coords(), std::vector<MeshCoordinate>(any.begin(), any.end()));
    }
  }
}

std::vector<MeshCoordinateRange> ranges_in(const MeshShape& torus) {
  std::vector<MeshCoordinateRange> ranges;
  for (const MeshCoordinate& start : MeshCoordinateRange(torus)) {
    for (const MeshCoordinate& end : MeshCoordinateRange(torus))
      ranges.emplace_back(start, end, torus);
  }
  return ranges;
}

// Every pair of ranges on a small torus, where ranges meet in corners: each coordinate counts once.
TEST(MeshCoord, WhatRangesOfATorusShareIsWhatTheirCoordinatesShare) {
  const std::vector<MeshCoordinateRange> ranges = ranges_in(MeshShape(3, 2));
  for (const MeshCoordinateRange& a : ranges) {
    for (const MeshCoordinateRange& b : ranges) {
      const auto of_a = coords_of(a), of_b = coords_of(b);
      const std::set<MeshCoordinate> in_a(of_a.begin(), of_a.end()), in_b(of_b.begin(), of_b.end());
      std::vector<MeshCoordinate> only_a;
      for (const MeshCoordinate& coord : in_a) {
        if (!in_b.contains(coord)) only_a.push_back(coord);
      }
      EXPECT_EQ(a.intersects(b), only_a.size() != in_a.size()) << a << b;
      EXPECT_EQ(b.contains(a), only_a.empty()) << a << b;
      EXPECT_EQ(subtract(a, b).coords(), only_a) << a << b;
      MeshCoordinateRangeSet set(a);
      set.merge(b);
      std::set<MeshCoordinate> any = in_a;
      any.insert(in_b.begin(), in_b.end());
      EXPECT_EQ(set.coords(), std::vector<MeshCoordinate>(any.begin(), any.end())) << a << b;
    }
  }
}

TEST(MeshCoord, ASetJoinsNeighbours) {
  MeshCoordinateRangeSet set;
  EXPECT_TRUE(set.empty());
  set.merge(MeshCoordinateRange(MeshCoordinate(1, 0), MeshCoordinate(1, 1)));
  set.merge(MeshCoordinateRange(MeshCoordinate(0, 2), MeshCoordinate(1, 3)));
  EXPECT_EQ(set.size(), 2u);
  set.merge(MeshCoordinateRange(MeshCoordinate(0, 0), MeshCoordinate(0, 1)));
  EXPECT_THAT(set.ranges(), ElementsAre(MeshCoordinateRange(MeshShape(2, 4))));
  set.merge(MeshCoordinateRange(MeshCoordinate(0, 1), MeshCoordinate(1, 2)));
  EXPECT_EQ(set, MeshCoordinateRangeSet(MeshCoordinateRange(MeshShape(2, 4))));
}

TEST(MeshCoord, WhatIsSubtractedLeavesItsNeighbours) {
  const MeshCoordinateRange all(MeshShape(3, 3)), middle(MeshCoordinate(1, 1));
  const MeshCoordinateRangeSet frame = subtract(all, middle);
  EXPECT_EQ(frame.coords().size(), 8u);
  for (const MeshCoordinateRange& range : frame.ranges()) EXPECT_FALSE(range.intersects(middle));
  EXPECT_TRUE(subtract(middle, all).empty());
  const MeshCoordinateRange cube(MeshShape(2, 2, 2));
  EXPECT_THAT(subtract(cube, MeshCoordinateRange(MeshCoordinate(0, 0, 0), MeshCoordinate(0, 1, 1)))
                  .ranges(),
              ElementsAre(MeshCoordinateRange(MeshCoordinate(1, 0, 0), MeshCoordinate(1, 1, 1))));
  expect_throws([&] { subtract(all, cube); }, "3 dimensions");
}

TEST(MeshCoord, AContainerHasAValueForEachDevice) {
  MeshContainer<std::string> names(MeshShape(2, 2), "none");
  EXPECT_EQ(names.size(), 4u);
  EXPECT_EQ(names.coord_range(), MeshCoordinateRange(MeshShape(2, 2)));
  names.at(MeshCoordinate(1, 0)) = "third";
  for (auto& [coord, name] : names) {
    if (coord == MeshCoordinate(0, 1)) name = "second";
  }
  EXPECT_THAT(names.values(), ElementsAre("none", "second", "third", "none"));
  const MeshContainer<std::string>& same = names;
  std::vector<MeshCoordinate> coords;
  for (const auto& [coord, name] : same) coords.push_back(coord);
  EXPECT_EQ(coords, coords_of(names.coord_range()));
  EXPECT_EQ(std::next(same.begin())->value(), "second");
  expect_throws([&] { names.at(MeshCoordinate(2, 0)); }, "outside of a mesh");
  expect_throws([] { MeshContainer<int>(MeshShape(2, 2), {1, 2, 3}); }, "4 devices", "3 values");
  EXPECT_EQ(MeshContainer<int>(MeshShape(1, 2), {7, 7}), MeshContainer<int>(MeshShape(1, 2), 7));
}

template <typename Iterator, typename Element>
constexpr bool refers_to() {
  using Traits = std::iterator_traits<Iterator>;
  return std::is_same_v<typename Traits::pointer, Element*> &&
         std::is_same_v<typename Traits::reference, Element&>;
}

TEST(MeshCoord, AnIteratorOfAConstantContainerRefersToConstants) {
  using Iterator = MeshContainer<int>::Iterator;
  using ConstIterator = MeshContainer<int>::ConstIterator;
  EXPECT_TRUE((refers_to<Iterator, Iterator::ValueProxy>()));
  EXPECT_TRUE((refers_to<ConstIterator, const ConstIterator::ValueProxy>()));
}

TEST(MeshCoord, ARangeOfAllCoordinatesIsNotEmpty) {
  constexpr uint32_t kLast = std::numeric_limits<uint32_t>::max();
  const MeshCoordinateRange all(MeshCoordinate(0), MeshCoordinate(kLast));
  const MeshCoordinateRange upper(MeshCoordinate(5), MeshCoordinate(kLast));
  EXPECT_TRUE(all.contains(upper));
  EXPECT_TRUE(all.contains(all));
  EXPECT_FALSE(upper.contains(all));
  expect_throws([&] { all.shape(); }, "coordinates");
}

TEST(MeshCoord, SetsPrintAndHash) {
  MeshCoordinateRangeSet set(MeshCoordinateRange(MeshShape(1, 2)));
  set.merge(MeshCoordinateRange(MeshCoordinate(3, 3)));
  EXPECT_THAT(fmt::format("{}", set), HasSubstr("MeshCoordinate(0, 1)), MeshCoordinateRange("));
  const std::hash<MeshCoordinateRangeSet> hash;
  EXPECT_NE(hash(set), hash(MeshCoordinateRangeSet(MeshCoordinateRange(MeshShape(1, 2)))));
  EXPECT_NE(std::hash<MeshShape>()(MeshShape(2, 4)), std::hash<MeshShape>()(MeshShape(4, 2)));
}

}  // namespace
}  // namespace tt::tt_metal::distributed
