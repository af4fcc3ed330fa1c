#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/device/tiles/tile_program.h"

// Tiles to rows and back, and packing: order, formats, ReLU, accumulation, the room in DST.
namespace lightmetal::device::testing {
namespace {

using ::testing::HasSubstr;

constexpr char kLayoutIncludes[] = R"(
  #include "compute_kernel_api.h"
  #include "compute_kernel_api/bcast.h"
  #include "compute_kernel_api/pack_untilize.h"
  #include "compute_kernel_api/reduce.h"
  #include "compute_kernel_api/tilize.h"
  #include "compute_kernel_api/transpose_wh.h"
  #include "compute_kernel_api/untilize.h")";

// 32 rows of `tiles` * 32 words, each its own place, as the bytes of a circular buffer; and the
// same as tiles.
WordTile rows_of(uint32_t tiles, uint32_t first = 0) {
  WordTile words(kTileElements * tiles);
  for (uint32_t i = 0; i < words.size(); ++i) words[i] = first + i;
  return words;
}

std::vector<WordTile> tiles_of(const WordTile& rows) {
  const auto tiles = static_cast<uint32_t>(rows.size() / kTileElements);
  std::vector<WordTile> result(tiles, WordTile(kTileElements));
  for (uint32_t i = 0; i < rows.size(); ++i) {
    const uint32_t row = i / (32 * tiles);
    const uint32_t column = i % (32 * tiles);
    result[column / 32][in_faces(row, column % 32)] = rows[i];
  }
  return result;
}

std::vector<std::byte> bytes_of_rows(DataFormat format, const WordTile& rows) {
  return encode_words(format, rows);
}

// The words of tiles [first, first + count) of an output, as they lie there.
WordTile flat_words(const TileProgram& program, uint8_t cb, uint32_t first, uint32_t count) {
  WordTile all;
  for (uint32_t i = 0; i < count; ++i) {
    const WordTile words = program.words(cb, first + i);
    all.insert(all.end(), words.begin(), words.end());
  }
  return all;
}

class Layout : public ::testing::TestWithParam<DataFormat> {};

TEST_P(Layout, TilizeAndUntilizeMoveEveryElement) {
  TileProgram program;
  const WordTile rows = rows_of(3);
  const auto bytes = bytes_of_rows(GetParam(), rows);
  program.prelude(kLayoutIncludes).input_bytes(0, GetParam(), bytes);
  program.input_words(1, GetParam(), tiles_of(rows));
  program.output(16, GetParam(), 6).output(17, GetParam(), 6).output(18, GetParam(), 3);
  const absl::Status status = program.run(R"(
    cb_wait_front(0, 3); cb_wait_front(1, 3);
    tilize_init(0, 3, 16); tilize_init_short(0, 3); tilize_init_short_with_dt(1, 0, 3, 16);
    cb_reserve_back(16, 3); tilize_block(0, 3, 16); cb_push_back(16, 3);
    fast_tilize_init(0, 3, 16); fast_tilize_block(0, 3, 16, 0, 0); fast_tilize_uninit(0, 16);
    tilize_uninit(0); tilize_uninit_with_dt(0, 1, 16);
    untilize_init(1, 17); untilize_init_short(1);
    cb_reserve_back(17, 3); untilize_block(1, 3, 17); cb_push_back(17, 3);
    untilize_block<3>(1, 3, 17); untilize_uninit(1);
    cb_reserve_back(18, 3);
    for (uint32_t i = 0; i < 3; ++i) { acquire_dst(); copy_tile(1, i, 0); pack_tile(0, 18); release_dst(); }
    cb_push_back(18, 3);)");
  ASSERT_TRUE(status.ok()) << status;
  const std::vector<WordTile> tiles = tiles_of(rows);
  const WordTile kept = decode_words(GetParam(), bytes);
  for (uint32_t i = 0; i < 3; ++i) {
    const WordTile expected = decode_words(GetParam(), encode_words(GetParam(), tiles[i]));
    EXPECT_EQ(program.words(16, i), expected);
    EXPECT_EQ(program.words(16, 3 + i), expected);
    EXPECT_EQ(program.words(18, i), expected);
  }
  EXPECT_EQ(flat_words(program, 17, 0, 3), kept);
  EXPECT_EQ(flat_words(program, 17, 3, 3), kept);
}

TEST_P(Layout, PackUntilizeWritesBlocksOfRows) {
  TileProgram program;
  const WordTile rows = rows_of(4, 1000);
  program.prelude(kLayoutIncludes).input_words(0, GetParam(), tiles_of(rows));
  program.output(16, GetParam(), 4).output(17, GetParam(), 4).output(18, GetParam(), 4);
  const absl::Status status = program.run(R"(
    cb_wait_front(0, 4); cb_reserve_back(16, 4); cb_reserve_back(17, 4); cb_reserve_back(18, 4);
    pack_untilize_init<4>(0, 16);
    pack_untilize_block<4>(0, 1, 16);
    pack_untilize_uninit(16);
    pack_untilize_dst_init_short<2, 4>(17);
    for (uint32_t block = 0; block < 2; ++block) {
      tile_regs_acquire();
      copy_tile_init(0);
      const uint32_t first = 2 * block;
      copy_tile(0, 2 * block, first);
      copy_tile(0, 2 * block + 1, first + 1);
      tile_regs_commit(); tile_regs_wait();
      if (block == 0) pack_untilize_dst<2, 4>(17, 1, 0); else pack_untilize_dest<2, 4>(17, 1, 1, first);
      tile_regs_release();
    }
    pack_untilize_uninit();
    pack_untilize_block<2>(0, 2, 18);)");
  ASSERT_TRUE(status.ok()) << status;
  const WordTile kept = decode_words(GetParam(), bytes_of_rows(GetParam(), rows));
  EXPECT_EQ(flat_words(program, 16, 0, 4), kept);
  EXPECT_EQ(flat_words(program, 17, 0, 4), kept);
  const std::vector<WordTile> tiles = tiles_of(kept);
  for (uint32_t block = 0; block < 2; ++block) {
    const std::vector<WordTile> packed = tiles_of(flat_words(program, 18, 2 * block, 2));
    EXPECT_EQ(packed[0], tiles[2 * block]);
    EXPECT_EQ(packed[1], tiles[2 * block + 1]);
  }
}

TEST_P(Layout, TransposingAndBroadcastingKeepWholeNumbers) {
  TileProgram program;
  const WordTile tile = random_words(4);
  program.prelude(kLayoutIncludes).input_words(0, GetParam(), {tile}).output(16, GetParam(), 2);
  const absl::Status status = program.run(R"(
    cb_wait_front(0, 1); acquire_dst();
    transpose_wh_init(0, 16); transpose_wh_tile(0, 0, 0); pack_tile(0, 16);
    unary_bcast_init<BroadcastType::ROW>(0, 16); unary_bcast<BroadcastType::ROW>(0, 0, 1); pack_tile(1, 16);)");
  ASSERT_TRUE(status.ok()) << status;
  const WordTile kept = decode_words(GetParam(), encode_words(GetParam(), tile));
  const WordTile transposed = program.words(16, 0);
  const WordTile broadcast = program.words(16, 1);
  for (uint32_t r = 0; r < 32; ++r) {
    for (uint32_t c = 0; c < 32; ++c) {
      ASSERT_EQ(transposed[in_faces(r, c)], kept[in_faces(c, r)]);
      ASSERT_EQ(broadcast[in_faces(r, c)], kept[in_faces(0, c)]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(WholeNumbers, Layout,
                         ::testing::Values(DataFormat::Int32, DataFormat::UInt32,
                                           DataFormat::UInt16, DataFormat::Int8, DataFormat::UInt8),
                         [](const auto& info) {
                           return absl::StrCat("Format", static_cast<int>(info.param));
                         });

TEST(TilePacking, TilizeConvertsFormats) {
  TileProgram program;
  Tile rows = random_tile(1);
  program.prelude(kLayoutIncludes)
      .input_bytes(0, DataFormat::Float32, encode_tile(DataFormat::Float32, rows))
      .output(16, DataFormat::Bfp8_b, 1)
      .output(17, DataFormat::Float16_b, 1);
  ASSERT_TRUE(program
                  .run("cb_wait_front(0, 1); cb_reserve_back(16, 1); tilize_block(0, 1, 16); "
                       "cb_push_back(16, 1); cb_wait_front(16, 1); untilize_block(16, 1, 17);")
                  .ok());
  Tile tile(kTileElements);
  for (uint32_t i = 0; i < kTileElements; ++i) tile[in_faces(i / 32, i % 32)] = rows[i];
  const Tile stored = stored_as(DataFormat::Bfp8_b, tile);
  EXPECT_EQ(program.floats(16, 0), stored);
  for (uint32_t i = 0; i < kTileElements; ++i) rows[i] = stored[in_faces(i / 32, i % 32)];
  EXPECT_EQ(program.floats(17, 0), rows);
}

TEST(TilePacking, PackUntilizeOfFewRowsAndFaces) {
  TileProgram program;
  const Tile a = random_tile(1);
  const Tile b = random_tile(2);
  program.prelude(kLayoutIncludes)
      .input(0, DataFormat::Float32, {a, b})
      .output(16, DataFormat::Float32, 1)
      .output(17, DataFormat::Float32, 1)
      .output(18, DataFormat::Float32, 1);
  const absl::Status status = program.run(R"(
    cb_wait_front(0, 2); acquire_dst(); copy_tile_init(0); copy_tile(0, 0, 0); copy_tile(0, 1, 1);
    pack_untilize_dst_init_short<2>(16, 1, 2); pack_untilize_dst<2>(16, 1, 0, 1, 2);
    pack_untilize_dst<2>(17, 1, 0, 3, 1);
    pack_untilize_dst<2, 2, false, true, 8>(18, 1, 0, 2, 1);)");
  ASSERT_TRUE(status.ok()) << status;
  const Tile row = program.floats(16, 0);
  const Tile narrow = program.floats(17, 0);
  const Tile eight = program.floats(18, 0);
  for (uint32_t c = 0; c < 32; ++c) {
    EXPECT_EQ(row[c], a[in_faces(0, c)]);
    EXPECT_EQ(row[32 + c], b[in_faces(0, c)]);
    for (uint32_t r = 0; r < 3; ++r) {
      EXPECT_EQ(narrow[r * 32 + c], (c < 16 ? a : b)[in_faces(r, c % 16)]);
    }
    EXPECT_EQ(eight[c], (c / 8 % 2 == 0 ? a : b)[in_faces(c / 16, c % 8)]);
  }
  EXPECT_EQ(program.words(16, 0)[64], 0xCCCCCCCC);
  EXPECT_EQ(program.words(17, 0)[96], 0xCCCCCCCC);
  EXPECT_EQ(program.words(18, 0)[32], 0xCCCCCCCC);
}

TEST(TilePacking, UnpackedRowsAreReduced) {
  TileProgram program;
  Tile rows(kTileElements);  // 8 rows of 64 elements, and what must not count
  for (uint32_t i = 0; i < kTileElements; ++i) rows[i] = -1.0f - static_cast<float>(i * 7 % 501);
  Tile scaler(kTileElements, std::nanf(""));
  for (uint32_t i = 0; i < 16; ++i) scaler[i] = scaler[256 + i] = 1.0f;
  program.prelude(kLayoutIncludes)
      .input_bytes(0, DataFormat::Float32, encode_tile(DataFormat::Float32, rows))
      .input(1, DataFormat::Float32, {scaler})
      .output(16, DataFormat::Float32, 4);
  const absl::Status status = program.run(R"(
    cb_wait_front(0, 1); cb_wait_front(1, 1);
    tilizeA_B_reduce_init<true>(0, 1, 2, 16, 2, 8);
    acquire_dst();
    unpack_tilizeA_B_block<true, true, false, false>(0, 1, 2, 0, 2, 8);
    for (uint32_t i = 0; i < 2; ++i) reduce_tile_math<PoolType::MAX, ReduceDim::REDUCE_COL>(i, 2);
    unpack_tilizeA_B_block<false, true, false, true>(0, 1, 2, 0, 2, 8);
    for (uint32_t i = 2; i < 4; ++i) reduce_tile_math<PoolType::SUM, ReduceDim::REDUCE_COL>(i);
    for (uint32_t i = 0; i < 4; ++i) pack_tile(i, 16);)");
  ASSERT_TRUE(status.ok()) << status;
  for (uint32_t c = 0; c < 64; ++c) {
    float most = -1e9f;
    float sum = 0;
    for (uint32_t r = 0; r < 8; ++r) {
      most = std::max(most, rows[r * 64 + c]);
      sum += rows[r * 64 + c];
    }
    EXPECT_EQ(program.floats(16, c / 32)[in_faces(0, c % 32)], most) << c;
    EXPECT_NEAR(program.floats(16, 2 + c / 32)[in_faces(0, c % 32)], sum, 1e-3) << c;
  }
  EXPECT_THAT(message_of(program.run("reduce_tile_math<SUM, REDUCE_COL>(0);")),
              HasSubstr("has left no tile to reduce"));
  EXPECT_THAT(message_of(program.run("unpack_tilizeA_B_block(0, 1, 1, 0, 2, 8); "
                                     "reduce_tile_math<SUM, REDUCE_COL>(0, 1);")),
              HasSubstr("unpacked with more faces"));
}

// ---- Packing ----

TEST(TilePacking, ReluClampsInItsThreeWays) {
  TileProgram program;
  Tile tile = random_tile(3);
  tile[0] = 1.5f;  // the threshold
  tile.back() = std::nanf("");
  program.prelude(kLayoutIncludes)
      .input(0, DataFormat::Float32, {tile})
      .output(16, DataFormat::Float32, 5);
  const absl::Status status = program.run(R"(
    cb_wait_front(0, 1); acquire_dst(); copy_tile(0, 0, 0);
    pack_tile(0, 16);
    PACK((llk_pack_relu_config(ReluType::ZERO_RELU))); pack_tile(0, 16);
    PACK((llk_pack_relu_config(ReluType::MIN_THRESHOLD_RELU | 0x3fc0 << 16))); pack_tile(0, 16);
    PACK((llk_pack_relu_config(ReluType::MAX_THRESHOLD_RELU | 0x3fc0 << 16))); pack_tile(0, 16);
    PACK((llk_pack_relu_config(ReluType::NO_RELU))); pack_tile(0, 16);)");
  ASSERT_TRUE(status.ok()) << status;
  for (uint32_t pack = 0; pack < 5; ++pack)
    EXPECT_TRUE(std::isnan(program.floats(16, pack).back())) << pack;
  for (uint32_t i = 0; i + 1 < kTileElements; ++i) {
    const float x = tile[i];
    EXPECT_EQ(program.floats(16, 0)[i], x);
    EXPECT_EQ(program.floats(16, 1)[i], std::max(x, 0.0f));
    EXPECT_EQ(program.floats(16, 2)[i], x <= 1.5f ? 0.0f : x);
    EXPECT_EQ(program.floats(16, 3)[i], std::min(std::max(x, 0.0f), 1.5f));
    EXPECT_EQ(program.floats(16, 4)[i], x);
  }
}

TEST(TilePacking, AccumulatesInL1) {
  for (const DataFormat format :
       {DataFormat::Float32, DataFormat::Tf32, DataFormat::Float16_b, DataFormat::Float16}) {
    TileProgram program;
    const Tile a = random_tile(1);
    const Tile b = random_tile(2);
    program.prelude(kLayoutIncludes)
        .input(0, DataFormat::Float32, {a, b})
        .output(16, format, 2)
        .output(17, format, 1);
    const absl::Status status = program.run(R"(
      cb_wait_front(0, 2); cb_reserve_back(16, 1); acquire_dst();
      copy_tile(0, 0, 0); copy_tile(0, 1, 1);
      pack_reconfig_l1_acc(0); pack_tile<true>(0, 16, 0); pack_untilize_dst<1>(17);
      pack_reconfig_l1_acc(1); pack_tile<true>(1, 16, 0); pack_tile<true>(1, 16, 0);
      PACK((llk_pack_relu_config(ReluType::ZERO_RELU))); pack_untilize_dst<1>(17);
      PACK((llk_pack_relu_config(ReluType::NO_RELU)));
      PACK((llk_pack_reconfig_l1_acc(0))); pack_tile<true>(1, 16, 1);)");
    ASSERT_TRUE(status.ok()) << status;
    Tile sum = stored_as(format, a);
    Tile clamped = stored_as(format, a);
    for (uint32_t i = 0; i < kTileElements; ++i) clamped[i] += std::max(a[i], 0.0f);
    for (int round = 0; round < 2; ++round) {
      for (uint32_t i = 0; i < kTileElements; ++i) sum[i] += b[i];
      sum = stored_as(format, sum);
    }
    EXPECT_EQ(program.floats(16, 0), sum);
    EXPECT_EQ(program.floats(16, 1), stored_as(format, b));
    const Tile rows = program.floats(17, 0);
    clamped = stored_as(format, clamped);
    for (uint32_t i = 0; i < kTileElements; ++i)
      ASSERT_EQ(rows[i], clamped[in_faces(i / 32, i % 32)]);
  }
}

TEST(TilePacking, IntegersAccumulateInL1) {
  TileProgram program;
  const WordTile words = random_words(1);
  program.prelude(kLayoutIncludes).input_words(0, DataFormat::Int32, {words});
  program.output(16, DataFormat::Int32, 1);
  ASSERT_TRUE(program
                  .run("cb_wait_front(0, 1); acquire_dst(); copy_tile(0, 0, 0); "
                       "pack_tile<true>(0, 16, 0); pack_reconfig_l1_acc(1); "
                       "pack_tile<true>(0, 16, 0); pack_tile<true>(0, 16, 0);")
                  .ok());
  for (uint32_t i = 0; i < kTileElements; ++i) ASSERT_EQ(program.words(16, 0)[i], 3 * words[i]);
}

TEST(TilePacking, AReductionsMaskMakesZeroOfWhatIsNoResult) {
  const auto keeps = [](std::string_view dim, uint32_t row, uint32_t column) {
    return (dim == "REDUCE_ROW" || row == 0) && (dim == "REDUCE_COL" || column == 0);
  };
  for (const std::string dim : {"REDUCE_ROW", "REDUCE_COL", "REDUCE_SCALAR"}) {
    TileProgram program;
    const Tile tile = random_tile(1);
    const WordTile words = random_words(2);
    program.prelude(kLayoutIncludes)
        .input(0, DataFormat::Float32, {tile})
        .input_words(1, DataFormat::Int32, {words})
        .output(16, DataFormat::Float32, 3)
        .output(17, DataFormat::Int32, 1)
        .output(18, DataFormat::Float32, 1);
    const absl::Status status = program.run(
        "cb_wait_front(0, 1); cb_wait_front(1, 1); acquire_dst();"
        "copy_tile(0, 0, 0); copy_tile(1, 0, 1); pack_tile<true>(0, 16, 0);"
        "PACK((llk_pack_reduce_mask_config<ReduceDim::" +
        dim +
        ", PackMode::Default>(16)));"
        "pack_tile<true>(1, 17, 0); pack_untilize_dst<1>(18); pack_tile<true>(0, 16, 1);"
        "pack_reconfig_l1_acc(1); pack_tile<true>(0, 16, 0); pack_reconfig_l1_acc(0);"
        "PACK((llk_pack_reduce_mask_clear())); pack_tile<true>(0, 16, 2);");
    ASSERT_TRUE(status.ok()) << status;
    const Tile rows = program.floats(18, 0);
    for (uint32_t place = 0; place < kTileElements; ++place) {
      const bool kept = keeps(dim, place / 32, place % 32);
      const uint32_t i = in_faces(place / 32, place % 32);
      ASSERT_EQ(program.floats(16, 0)[i], kept ? tile[i] + tile[i] : tile[i])
          << dim << " " << place;
      ASSERT_EQ(program.floats(16, 1)[i], kept ? tile[i] : 0) << dim << " " << place;
      ASSERT_EQ(program.words(17, 0)[i], kept ? words[i] : 0) << dim << " " << place;
      ASSERT_EQ(rows[place], kept ? tile[i] : 0) << dim << " " << place;
    }
    EXPECT_EQ(program.floats(16, 2), tile);
  }
}

TEST(TilePacking, ReduceInitAndReduceUninitEndAReductionsMask) {
  TileProgram program;
  const Tile tile = random_tile(1);
  program.prelude(kLayoutIncludes)
      .input(0, DataFormat::Float32, {tile})
      .output(16, DataFormat::Float32, 2);
  ASSERT_TRUE(program
                  .run(R"(cb_wait_front(0, 1); acquire_dst(); copy_tile(0, 0, 0);
    PACK((llk_pack_reduce_mask_config<ReduceDim::REDUCE_ROW>(16)));
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_COL>(0, 0, 16); pack_tile<true>(0, 16, 0);
    PACK((llk_pack_reduce_mask_config<ReduceDim::REDUCE_ROW>(16)));
    reduce_uninit(); pack_tile<true>(0, 16, 1);)")
                  .ok());
  EXPECT_EQ(program.floats(16, 0), tile);
  EXPECT_EQ(program.floats(16, 1), tile);
}

// Two tiles that fill circular buffer 16, which the kernel itself takes from.
constexpr char kFillsItsInput[] = R"(
  cb_wait_front(0, 2); acquire_dst(); copy_tile(0, 0, 0); copy_tile(0, 1, 1);
  cb_reserve_back(16, 2); pack_tile(0, 16); pack_tile(1, 16); cb_push_back(16, 2);
  cb_wait_front(16, 2); acquire_dst(); copy_tile(16, 0, 1); copy_tile(16, 1, 0);)";

absl::Status run_on_its_input(TileProgram& program, const std::string& body) {
  program.prelude(kLayoutIncludes)
      .input(0, DataFormat::Float32, {random_tile(0), random_tile(1)})
      .output(16, DataFormat::Float32, 2)
      .output(17, DataFormat::Float32, 2);
  return program.run(kFillsItsInput + body);
}

TEST(TilePacking, AKernelMayReserveBeforeItPopsWhatItGaveItself) {
  TileProgram program;
  const absl::Status status = run_on_its_input(program, R"(
    cb_reserve_back(16, 1); cb_reserve_back(17, 2); cb_reserve_back(16, 2); cb_pop_front(16, 2);
    pack_tile(0, 16); pack_tile(1, 16); cb_push_back(16, 2);
    cb_wait_front(16, 2); cb_reserve_back(16, 2); cb_pop_front(16, 2);)");
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(program.floats(16, 0), random_tile(1));
  EXPECT_EQ(program.floats(16, 1), random_tile(0));
}

TEST(TilePacking, AReservationWithoutRoomFailsWhereTheKernelPacksOrEnds) {
  const std::string waits = "circular buffer 16: waits for 2 free pages";
  for (const std::string rest :
       {"pack_tile(0, 17); cb_pop_front(16, 2);", "pack_untilize_dst<1>(17); cb_pop_front(16, 2);",
        "untilize_block(16, 1, 17); cb_pop_front(16, 2);",
        "tilize_block(16, 1, 17); cb_pop_front(16, 2);",
        "cb_push_back(17, 1); cb_pop_front(16, 2);", "cb_pop_front(16, 1);", ""}) {
    TileProgram program;
    const absl::Status status =
        run_on_its_input(program, "cb_reserve_back(16, 2); cb_reserve_back(16, 1);" + rest);
    EXPECT_THAT(message_of(status), HasSubstr(waits)) << rest;
  }
  TileProgram program;
  EXPECT_THAT(message_of(run_on_its_input(program, "cb_reserve_back(16, 3);")),
              HasSubstr("reserves 3 pages, more than the 2 it has"));
}

TEST(TilePacking, TilesArePackedInOrderOrAtTheirPlace) {
  TileProgram program;
  const std::vector<Tile> tiles = {random_tile(0), random_tile(1), random_tile(2)};
  program.prelude(kLayoutIncludes)
      .input(0, DataFormat::Float32, tiles)
      .output(16, DataFormat::Float32, 6);
  ASSERT_TRUE(program
                  .run(R"(
    cb_wait_front(0, 3); acquire_dst(); copy_block_matmul_partials(0, 0, 0, 3);
    pack_reconfig_data_format(16); pack_reconfig_data_format(0, 16); pack_reconfig_data_format<true>(16);
    pack_tile(2, 16); pack_tile_block(0, 16, 2);
    pack_tile<true>(1, 16, 5); matmul_pack_tile(0, 16, 1);)")
                  .ok());
  EXPECT_EQ(program.floats(16, 0), tiles[2]);
  EXPECT_EQ(program.floats(16, 1), tiles[0]);
  EXPECT_EQ(program.floats(16, 2), tiles[1]);
  EXPECT_EQ(program.floats(16, 3), tiles[0]);
  EXPECT_EQ(program.floats(16, 5), tiles[1]);
}

TEST(TilePacking, WhatCannotBePackedIsRefused) {
  TileProgram program;
  program.prelude(kLayoutIncludes)
      .input(0, DataFormat::Float32, {random_tile(1)})
      .input_words(1, DataFormat::UInt32, {random_words(1)})
      .input(2, DataFormat::Bfp8_b, {random_tile(1)})
      .output(16, DataFormat::Bfp8_b, 1)
      .output(17, DataFormat::Int32, 1)
      .output(18, DataFormat::UInt16, 1)
      .output(19, DataFormat::Lf8, 1);
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"pack_tile(0, 17);", "floats of DST cannot be packed to data format 8"},
      {"pack_tile(1, 16);", "integers of DST cannot be packed to data format 6"},
      {"pack_tile(1, 18);", "does not fit data format 9"},
      {"pack_tile(0, 19);", "do not support data format 10"},
      {"pack_reconfig_l1_acc(1); pack_tile(0, 16);", "cannot accumulate in L1 in block format 6"},
      {"llk_pack_relu_config(1); pack_tile(1, 17);", "integers with ReLU"},
      {"llk_pack_relu_config(4);", "no mode 4"},
      {"tilize_block(2, 1, 16);", "block format and has no rows"},
      {"untilize_block(0, 1, 16);", "block format and has no rows"},
      {"pack_untilize_dst<1>(16);", "block format and has no rows"},
      {"pack_untilize_dst<1>(17, 1, 0, 8, 4);", "four faces 16"},
      {"pack_untilize_dst<1>(17, 1, 0, 8, 3);", "1, 2 or 4 faces"},
      {"pack_untilize_dst<1, 1>(17, 1, 1);", "do not fit rows of 1 tiles"},
      {"tilize_block(0, 4000, 17);", "block of rows 0 lies past its end, and past the end of L1"},
      {"unpack_tilizeA_B_block(0, 0, 1, 0, 3);", "1, 2 or 4 faces"},
  };
  std::string body = "cb_wait_front(0, 1); acquire_dst(); copy_tile(0, 0, 0); copy_tile(1, 0, 1);";
  for (size_t i = 0; i < cases.size(); ++i) {
    absl::StrAppend(&body, "if (get_arg_val<uint32_t>(0) == ", i, ") {", cases[i].first, "}\n");
  }
  for (uint32_t i = 0; i < cases.size(); ++i) {
    EXPECT_THAT(message_of(program.args({i}).run(body)), HasSubstr(cases[i].second))
        << cases[i].first;
  }
}

// ---- DST ----

TEST(TilePacking, DstHasTheRoomThatTheSettingsGive) {
  struct Setting {
    bool fp32;
    bool full_sync;
    uint32_t tiles;
  };
  for (const Setting& setting : {Setting{false, false, 8}, Setting{true, false, 4},
                                 Setting{false, true, 16}, Setting{true, true, 8}}) {
    TileProgram program;
    program.settings().fp32_dest_acc_en = setting.fp32;
    program.settings().dst_full_sync_en = setting.full_sync;
    program.input(0, DataFormat::Float32, {random_tile(1)}).output(16, DataFormat::Float32, 1);
    const std::string body =
        "cb_wait_front(0, 1); acquire_dst(); copy_tile(0, 0, get_arg_val<uint32_t>(0)); "
        "pack_tile(get_arg_val<uint32_t>(0), 16);";
    EXPECT_TRUE(program.args({setting.tiles - 1}).run(body).ok()) << setting.tiles;
    EXPECT_THAT(message_of(program.args({setting.tiles}).run(body)),
                HasSubstr(absl::StrCat("DST has no tile ", setting.tiles)));
  }
}

TEST(TilePacking, KernelsSeeTheirSettings) {
  TileProgram program;
  program.settings().math_fidelity = 2;
  program.settings().math_approx_mode = true;
  program.settings().fp32_dest_acc_en = true;
  program.output(16, DataFormat::UInt32, 1);
  ASSERT_TRUE(
      program
          .run("auto* out = (volatile uint32_t*)lightmetal::kernel::circular_buffer(16).write_ptr; "
               "out[0] = static_cast<uint32_t>(MATH_FIDELITY); out[1] = APPROX; "
               "out[2] = DST_ACCUM_MODE;")
          .ok());
  EXPECT_EQ(program.words(16, 0)[0], 2u);
  EXPECT_EQ(program.words(16, 0)[1], 1u);
  EXPECT_EQ(program.words(16, 0)[2], 1u);
}

}  // namespace
}  // namespace lightmetal::device::testing
