#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/device/tiles/tile_program.h"

// The steps of top-K: each column of two tiles of values, 64 numbers, is sorted for itself, and
// whole numbers in the two tiles behind move along.
namespace lightmetal::device::testing {
namespace {

using Column = std::vector<float>;

constexpr uint32_t kRows = 64;

// The column of two tiles that stand at `first`.
Column column_of(const std::vector<Tile>& tiles, uint32_t column) {
  Column values;
  for (uint32_t row = 0; row < kRows; ++row)
    values.push_back(tiles[row / 32][in_faces(row % 32, column)]);
  return values;
}

// Two tiles of numbers without an equal in their column, small and large, of both signs.
std::vector<Tile> values() {
  std::vector<Tile> tiles(2, Tile(kTileElements));
  for (uint32_t row = 0; row < kRows; ++row) {
    for (uint32_t column = 0; column < 32; ++column) {
      const uint32_t shuffled = (row * 37 + column * 11) % kRows;
      tiles[row / 32][in_faces(row % 32, column)] =
          (static_cast<float>(shuffled) - 31.5f) * (column % 2 == 0 ? 1.0f : 1e-3f);
    }
  }
  return tiles;
}

// The number of each value's row.
std::vector<WordTile> row_numbers() {
  std::vector<WordTile> tiles(2, WordTile(kTileElements));
  for (uint32_t row = 0; row < kRows; ++row) {
    for (uint32_t column = 0; column < 32; ++column)
      tiles[row / 32][in_faces(row % 32, column)] = row;
  }
  return tiles;
}

struct Sorted {
  std::vector<Tile> values;
  std::vector<WordTile> indices;
};

Sorted run(const std::vector<Tile>& input, const std::string& calls) {
  TileProgram program;
  program.input(0, DataFormat::Float32, input).input_words(1, DataFormat::UInt32, row_numbers());
  program.output(16, DataFormat::Float32, 2).output(17, DataFormat::UInt32, 2);
  program.output(18, DataFormat::UInt32, 2);
  const absl::Status status = program.run(absl::StrCat(
      "topk_tile_init(); tile_regs_acquire();"
      "for (int i = 0; i < 2; ++i) { copy_tile(0, i, i); copy_tile(1, i, 2 + i); }",
      calls, "for (int i = 0; i < 2; ++i) { pack_tile(i, 16); pack_tile(2 + i, 17); }"));
  EXPECT_TRUE(status.ok()) << status;
  return {{program.floats(16, 0), program.floats(16, 1)},
          {program.words(17, 0), program.words(17, 1)}};
}

// Each column is what `reference` makes of its values, and each index is its value's row.
void expect_columns(const std::vector<Tile>& input, const Sorted& sorted,
                    const std::function<void(Column&)>& reference, const std::string& what) {
  for (uint32_t column = 0; column < 32; ++column) {
    const Column before = column_of(input, column);
    Column expected = before;
    reference(expected);
    EXPECT_EQ(column_of(sorted.values, column), expected) << what << ", column " << column;
    for (uint32_t row = 0; row < kRows; ++row) {
      const uint32_t index = sorted.indices[row / 32][in_faces(row % 32, column)];
      ASSERT_LT(index, kRows);
      EXPECT_EQ(before[index], expected[row]) << what << ", row " << row;
    }
  }
}

void sort_run(Column& column, uint32_t begin, uint32_t length, bool ascending) {
  const auto first = column.begin() + begin;
  std::sort(first, first + length);
  if (!ascending) std::reverse(first, first + length);
}

// What topk_local_sort leaves: runs of `length`, the first in the given direction.
void sort_runs(Column& column, uint32_t length, bool ascending) {
  for (uint32_t begin = 0; begin < kRows; begin += length)
    sort_run(column, begin, length, ascending != (begin / length % 2 == 1));
}

std::string local_sort(uint32_t length, bool ascending) {
  int end_phase = -1;
  while (length >>= 1) ++end_phase;
  return absl::StrCat("topk_local_sort(0, ", ascending, ", ", end_phase, ");");
}

TEST(TopK, LocalSortSortsRunsInDirectionsThatAlternate) {
  for (const uint32_t length : {4u, 32u, 64u}) {
    for (const bool ascending : {false, true}) {
      expect_columns(
          values(), run(values(), local_sort(length, ascending)),
          [&](Column& column) { sort_runs(column, length, ascending); },
          absl::StrCat("runs of ", length));
    }
  }
}

// Sorted runs that are `distance` apart, of `k` values each: the first of each two has the greatest
// of both afterwards, or the smallest, in an order that nobody asks for.
void expect_merged(uint32_t k, uint32_t distance, const std::string& call, bool smallest) {
  const Sorted sorted = run(values(), local_sort(k, false) + call);
  for (uint32_t column = 0; column < 32; ++column) {
    Column before = column_of(values(), column);
    sort_runs(before, k, false);
    const Column after = column_of(sorted.values, column);
    for (uint32_t begin = 0; begin < kRows; begin += 2 * distance) {
      Column both(before.begin() + begin, before.begin() + begin + k);
      both.insert(both.end(), before.begin() + begin + distance,
                  before.begin() + begin + distance + k);
      std::sort(both.begin(), both.end());
      if (!smallest) std::reverse(both.begin(), both.end());
      Column first(after.begin() + begin, after.begin() + begin + k);
      std::sort(first.begin(), first.end());
      if (!smallest) std::reverse(first.begin(), first.end());
      EXPECT_EQ(first, Column(both.begin(), both.begin() + k)) << call << ", column " << column;
    }
  }
}

TEST(TopK, MergeGivesTheFirstOfTwoSequencesTheGreatestValues) {
  for (const uint32_t k : {8u, 32u}) {
    expect_merged(k, k, absl::StrCat("topk_merge(0, 0, ", k, ");"), false);
    expect_merged(k, k, absl::StrCat("topk_merge<true>(0, 0, ", k, ");"), true);
  }
}

// Sequences of different tiles stand one at the begin of each, whatever lay between them.
TEST(TopK, SequencesFarApartStandAtTheBeginsOfTiles) {
  const std::string apart = "topk_local_sort(0, 0, 4); topk_merge(0, 3, 16);";
  const Sorted sorted = run(values(), apart);
  expect_columns(
      values(), sorted,
      [](Column& column) {
        sort_runs(column, 32, false);
        for (uint32_t row = 0; row < 16; ++row) {
          if (column[row] < column[row + 32]) std::swap(column[row], column[row + 32]);
        }
      },
      "tiles");
}

TEST(TopK, RebuildSortsTheSequencesThatAMergeLeft) {
  struct Case {
    uint32_t k, logk, distance;
  };
  for (const Case& c : {Case{8, 3, 16}, Case{32, 5, 32}, Case{64, 6, 64}}) {
    for (const bool ascending : {false, true}) {
      const std::string call =
          absl::StrCat("topk_rebuild(0, ", ascending, ", 0, ", c.k, ", ", c.logk, ", 0);");
      expect_columns(
          values(), run(values(), call),
          [&](Column& column) {
            for (uint32_t begin = 0; begin < kRows; begin += c.distance)
              sort_run(column, begin, c.k, ascending != (begin / c.distance % 2 == 1));
          },
          call);
    }
  }
}

TEST(TopK, RebuildLeavesTheSecondTileWhenAsked) {
  expect_columns(
      values(), run(values(), "topk_rebuild(0, false, 0, 32, 5, 1);"),
      [](Column& column) { sort_run(column, 0, 32, false); }, "one tile");
}

// What a step says that has no place for its sequences.
std::string refusal_of(const std::string& call) {
  TileProgram program;
  program.input(0, DataFormat::Float32, values()).output(16, DataFormat::Float32, 1);
  return message_of(program.run("tile_regs_acquire();" + call));
}

TEST(TopK, SequencesThatHaveNoPlaceAreRefused) {
  struct Case {
    const char* call;
    const char* message;
  };
  constexpr char kSize[] = "k is not a power of two from 1 to 64";
  constexpr char kDistance[] = "m_iter is not from 0 to 30";
  for (const Case& c :
       {Case{"topk_merge(0, 0, -1);", kSize}, Case{"topk_merge(0, 0, 33);", kSize},
        Case{"topk_merge<true>(0, 0, 128);", kSize},
        Case{"topk_rebuild(0, false, 0, 128, 7, 0);", kSize},
        Case{"topk_merge(0, -1, 32);", kDistance},
        Case{"topk_rebuild(0, false, 31, 32, 5, 0);", kDistance},
        Case{"topk_rebuild(0, false, 0, 32, 37, 0);", "logk is not the logarithm of k"}}) {
    EXPECT_THAT(refusal_of(c.call), ::testing::HasSubstr(c.message)) << c.call;
  }
}

TEST(TopK, IndicesThatWereNotWrittenAreZeros) {
  TileProgram program;
  program.input(0, DataFormat::Float32, values()).output(17, DataFormat::UInt32, 2);
  const absl::Status status = program.run(
      "tile_regs_acquire(); copy_tile(0, 0, 0); copy_tile(0, 1, 1); topk_local_sort(0, 0, 4);"
      "pack_tile(2, 17); pack_tile(3, 17);");
  ASSERT_TRUE(status.ok()) << status;
  for (uint32_t i = 0; i < 2; ++i) EXPECT_EQ(program.words(17, i), WordTile(kTileElements, 0));
}

// The 32 greatest of four tiles, as kernels find them: in pairs, then those of both pairs.
TEST(TopK, StepsTogetherFindTheGreatestOfManyValues) {
  std::vector<Tile> input = values();
  for (const Tile& tile : values()) {
    input.push_back(tile);
    for (float& value : input.back()) value = value * 0.97f + 0.004f;
  }
  TileProgram program;
  program.input(0, DataFormat::Float32, input).output(16, DataFormat::Float32, 1);
  program.output(17, DataFormat::Float32, 2);
  const absl::Status status = program.run(R"(
      topk_tile_init();
      for (int pair = 0; pair < 2; ++pair) {
        tile_regs_acquire();
        for (int i = 0; i < 2; ++i) copy_tile(0, 2 * pair + i, i);
        topk_local_sort(0, 0, 4);
        topk_merge(0, 0, 32);
        topk_rebuild(0, pair == 1, 0, 32, 5, 1);
        pack_tile(0, 17);
        tile_regs_release();
      }
      cb_push_back(17, 2);
      cb_wait_front(17, 2);
      tile_regs_acquire();
      for (int i = 0; i < 2; ++i) copy_tile(17, i, i);
      topk_merge(0, 1, 32);
      topk_rebuild(0, false, 1, 32, 5, 1);
      pack_tile(0, 16);)");
  ASSERT_TRUE(status.ok()) << status;
  for (uint32_t column = 0; column < 32; ++column) {
    Column all = column_of({input[0], input[1]}, column);
    const Column more = column_of({input[2], input[3]}, column);
    all.insert(all.end(), more.begin(), more.end());
    std::sort(all.begin(), all.end(), std::greater<>());
    for (uint32_t row = 0; row < 32; ++row)
      ASSERT_EQ(program.floats(16, 0)[in_faces(row, column)], all[row]) << column;
  }
}

TEST(TopK, PartsOfAPhaseFailTheLaunch) {
  TileProgram program;
  program.input(0, DataFormat::Float32, values()).output(16, DataFormat::Float32, 1);
  const absl::Status status =
      program.run("tile_regs_acquire(); topk_local_sort(0, 0, 5, 5, 4, 6); pack_tile(0, 16);");
  EXPECT_NE(message_of(status).find("parts of a phase are not supported"), std::string::npos)
      << status;
}

// Eight values that are equal in many rows, both zeros among them.
std::vector<Tile> values_with_equals() {
  std::vector<Tile> tiles(2, Tile(kTileElements));
  for (uint32_t row = 0; row < kRows; ++row) {
    for (uint32_t column = 0; column < 32; ++column) {
      const float value = static_cast<float>((row * 5 + column) % 8) - 3;
      tiles[row / 32][in_faces(row % 32, column)] = value == 0 && row % 2 == 0 ? -0.0f : value;
    }
  }
  return tiles;
}

// The rows of a column, sorted as a whole: of equal values the smaller row stands first.
std::vector<uint32_t> rows_in_order(const Column& column, bool largest) {
  std::vector<uint32_t> rows(kRows);
  std::iota(rows.begin(), rows.end(), 0);
  std::stable_sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) {
    return largest ? column[a] > column[b] : column[a] < column[b];
  });
  return rows;
}

// Of the first `rows` rows.
void expect_rows_in_order(const Sorted& sorted, bool largest, uint32_t rows) {
  for (uint32_t column = 0; column < 32; ++column) {
    const Column before = column_of(values_with_equals(), column);
    const std::vector<uint32_t> expected = rows_in_order(before, largest);
    for (uint32_t row = 0; row < rows; ++row) {
      const uint32_t place = in_faces(row % 32, column);
      ASSERT_EQ(sorted.indices[row / 32][place], expected[row])
          << "column " << column << ", row " << row << ", largest first: " << largest;
      ASSERT_EQ(sorted.values[row / 32][place], before[expected[row]]);
    }
  }
}

TEST(TopK, StableSortKeepsTheOrderOfEqualValues) {
  for (const bool largest : {false, true}) {
    const std::string order =
        absl::StrCat("topk_tie_order_from_global_direction(", largest ? "true" : "false", ")>");
    const std::string modes = absl::StrCat("<true, false, false, false, ", order);
    expect_rows_in_order(run(values_with_equals(),
                             absl::StrCat("topk_canonicalize_negzero_values(0); topk_local_sort",
                                          modes, "(0, ", !largest, ", 5);")),
                         largest, kRows);
    // The same in parts: two runs of 32 in opposite directions, merged, then the first sorted.
    expect_rows_in_order(
        run(values_with_equals(),
            absl::StrCat("topk_canonicalize_negzero_values(0); topk_local_sort", modes, "(0, ",
                         !largest, ", 4); topk_merge<", largest ? "false" : "true",
                         ", true, false, false, false, ", order, "(0, 0, 32); topk_rebuild", modes,
                         "(0, ", !largest, ", 0, 32, 5, 1); ")),
        largest, 32);
  }
}

TEST(TopK, FusedWordsCarryTheirIndices) {
  for (const bool largest : {false, true}) {
    const std::string order = largest ? "<true>" : "<false>";
    expect_rows_in_order(run(values_with_equals(),
                             absl::StrCat("topk_canonicalize_negzero_values(0); topk_fuse_tile",
                                          order, "(0); topk_local_sort<false, false, true>(0, ",
                                          !largest, ", 5); topk_defuse_tile", order, "(0, 2);")),
                         largest, kRows);
  }
}

TEST(TopK, FusedWordsPassCircularBuffersOfWholeNumbers) {
  const std::string through_memory =
      "pack_tile(0, 18); pack_tile(1, 18); cb_push_back(18, 2); cb_wait_front(18, 2);"
      "tile_regs_acquire(); copy_tile(18, 0, 0); copy_tile(18, 1, 1); cb_pop_front(18, 2);";
  for (const bool largest : {false, true}) {
    const std::string order = largest ? "<true>" : "<false>";
    const std::string down = largest ? "false" : "true";
    expect_rows_in_order(
        run(values_with_equals(),
            absl::StrCat("topk_canonicalize_negzero_values(0); topk_fuse_tile", order,
                         "(0); topk_local_sort<false, false, true>(0, ", !largest, ", 4);",
                         through_memory, "topk_merge<", down, ", false, false, true>(0, 0, 32);",
                         "topk_rebuild<false, false, true>(0, ", down, ", 0, 32, 5, 1);",
                         through_memory, "topk_defuse_tile", order, "(0, 2);")),
        largest, 32);
  }
}

TEST(TopK, StableSortWithoutAnOrderIsRefused) {
  TileProgram program;
  program.output(16, DataFormat::Float32, 1);
  EXPECT_THAT(std::string(program.run("topk_local_sort<true>(0, 0, 5);").message()),
              ::testing::HasSubstr("refused: top-K: a stable sort needs a TopkTieOrder"));
}

TEST(TopK, UpperHalvesOfIndicesAreDropped) {
  TileProgram program;
  program.input_words(0, DataFormat::UInt32, {WordTile(kTileElements, 0xabcd1234)});
  program.output(16, DataFormat::UInt32, 1);
  const absl::Status status = program.run(
      "tile_regs_acquire(); copy_tile(0, 0, 0); topk_uint16_move_dest_tile_to_pack_half(0); "
      "topk_finalize_uint16_indices(0); topk_uint16_prepare_value_tile_for_pack(0); "
      "pack_tile(0, 16);");
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(program.words(16, 0)[77], 0x1234u);
}

}  // namespace
}  // namespace lightmetal::device::testing
