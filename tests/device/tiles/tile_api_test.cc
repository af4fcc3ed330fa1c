#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/device/tiles/tile_calls.h"
#include "tests/device/tiles/tile_program.h"

// The arithmetic of the compute kernel API: one table of calls, each with what it must give, over
// every float format and over edge values.
namespace lightmetal::device::testing {
namespace {

using ::testing::HasSubstr;
// ---- Running it ----

constexpr char kIncludes[] = R"(
  #include "compute_kernel_api.h"
  #include "compute_kernel_api/bcast.h"
  #include "api/compute/experimental/matmul_custom.h"
  #include "api/compute/experimental/reg_api.h"
  #include "api/compute/experimental/sdpa_sub_custom.h"
  #include "api/compute/reduce_custom.h"
  #include "compute_kernel_api/reduce.h"
  #include "compute_kernel_api/transpose_wh.h"
  #include "compute_kernel_api/transpose_wh_dest.h")";

// Every call, its result as Float32 in circular buffer 16 and in the operands' format in 17.
std::string kernel_of(const std::vector<Call>& calls) {
  std::string body =
      "binary_op_init_common(0, 1, 16); cb_wait_front(0, 4); cb_wait_front(1, 4); "
      "cb_wait_front(2, 1);\n";
  for (size_t i = 0; i < calls.size(); ++i) {
    absl::StrAppend(&body, "{ tile_regs_acquire(); ", calls[i].code,
                    " tile_regs_commit(); tile_regs_wait(); pack_tile<true>(", calls[i].dst,
                    ", 16, ", i, "); pack_tile<true>(", calls[i].dst, ", 17, ", i,
                    "); tile_regs_release(); }\n");
  }
  return body;
}

// A scaler whose first rows differ from place to place; all else must not count.
Tile scaler_tile() {
  Tile tile(kTileElements, 99.0f);
  for (uint32_t i = 0; i < 64; ++i) {
    tile[i / 16 * 256 + i % 16] = (i % 3 == 0 ? -1.0f : 1.0f) * (1.0f + static_cast<float>(i) / 64);
  }
  return tile;
}

struct Results {
  TileProgram program;
  Operands stored;
};

Results run_all(const std::vector<Call>& calls, DataFormat format, const Operands& operands) {
  Results results;
  results.stored.scaler = stored_as(DataFormat::Float32, operands.scaler);
  for (int i = 0; i < 4; ++i) {
    results.stored.a[i] = stored_as(format, operands.a[i]);
    results.stored.b[i] = stored_as(format, operands.b[i]);
  }
  const auto count = static_cast<uint32_t>(calls.size());
  results.program.prelude(kIncludes)
      .input(0, format, {operands.a, operands.a + 4})
      .input(1, format, {operands.b, operands.b + 4})
      .input(2, DataFormat::Float32, {operands.scaler})
      .output(16, DataFormat::Float32, count)
      .output(17, format, count);
  const absl::Status status = results.program.run(kernel_of(calls));
  EXPECT_TRUE(status.ok()) << status;
  return results;
}

bool same(float actual, double expected) {
  if (std::isnan(expected)) return std::isnan(actual);
  return actual == static_cast<float>(expected);
}

void check(const Call& call, const Expected& expected, const Tile& actual) {
  for (uint32_t i = 0; i < kTileElements; ++i) {
    if (call.kind == Kind::kSum) {
      ASSERT_NEAR(actual[i], expected.values[i], expected.sizes[i] * kSumTolerance)
          << call.code << " element " << i;
    } else {
      ASSERT_TRUE(same(actual[i], expected.values[i]))
          << call.code << " element " << i << ": " << actual[i] << ", expected "
          << expected.values[i];
    }
  }
}

void check_stored(const StoredFloat& format, const Tile& tile, const Tile& stored) {
  for (uint32_t i = 0; i < kTileElements; ++i) {
    double size = std::abs(tile[i]);
    for (uint32_t k = i / 16 * 16; format.is_block && k < i / 16 * 16 + 16; ++k)
      size = std::max<double>(size, std::abs(tile[k]));
    ASSERT_NEAR(stored[i], tile[i], size * format.tolerance) << format.name << " element " << i;
  }
}

class TileArithmetic : public ::testing::TestWithParam<StoredFloat> {};

TEST_P(TileArithmetic, GivesWhatTheReferenceGives) {
  const std::vector<Call> calls = all_calls();
  Operands operands;
  for (uint32_t i = 0; i < 4; ++i) {
    operands.a[i] = random_tile(i);
    operands.b[i] = random_tile(10 + i);
  }
  operands.scaler = scaler_tile();
  const Results results = run_all(calls, GetParam().format, operands);
  if (HasFailure()) return;
  for (uint32_t i = 0; i < calls.size(); ++i) {
    const Tile result = results.program.floats(16, i);
    ASSERT_NO_FATAL_FAILURE(check(calls[i], calls[i].reference(results.stored), result));
    ASSERT_EQ(results.program.bytes(17, i), encode_tile(GetParam().format, result))
        << calls[i].code << " as " << GetParam().name;
    ASSERT_NO_FATAL_FAILURE(check_stored(GetParam(), result, results.program.floats(17, i)));
  }
}

// Every pair of these meets in some element of two tiles.
std::vector<float> edge_values() {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  return {0.0f,       -0.0f,           1.0f,          -1.5f,      kInfinity,
          -kInfinity, std::nanf(""),   0x1p-149f,     -0x1p-140f, 0x1.fffffcp-127f,
          0x1p-126f,  0x1.fffffep127f, -0x1p127f,     65504.0f,   65520.0f,
          0x1p-24f,   0x1p-14f,        -0x1.ffcp-15f, 3.0f,       0x1p-100f};
}

TEST_P(TileArithmetic, HoldsAtTheEdges) {
  const std::vector<Call> calls = all_calls();
  Operands operands;
  const std::vector<float> edges = edge_values();
  for (Tile* tiles : {operands.a, operands.b}) {
    for (uint32_t t = 0; t < 4; ++t) {
      for (uint32_t i = 0; i < kTileElements; ++i) {
        const size_t step = tiles == operands.a ? i : i / edges.size() + t;
        tiles[t].push_back(edges[step % edges.size()]);
      }
    }
  }
  operands.scaler = scaler_tile();
  const Results results = run_all(calls, GetParam().format, operands);
  if (HasFailure()) return;
  for (uint32_t i = 0; i < calls.size(); ++i) {
    if (calls[i].kind != Kind::kEdges) continue;
    const Tile result = results.program.floats(16, i);
    ASSERT_NO_FATAL_FAILURE(check(calls[i], calls[i].reference(results.stored), result));
    const Tile expected = stored_as(GetParam().format, result);
    const Tile packed = results.program.floats(17, i);
    for (uint32_t k = 0; k < kTileElements; ++k) {
      ASSERT_TRUE(same(packed[k], expected[k]) &&
                  std::signbit(packed[k]) == std::signbit(expected[k]))
          << calls[i].code << ": " << result[k] << " is packed as " << packed[k] << ", expected "
          << expected[k];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, TileArithmetic, ::testing::ValuesIn(kStoredFloats),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(TileApi, OperandsMayHaveDifferentFormats) {
  TileProgram program;
  const Tile a = random_tile(1);
  const Tile b = random_tile(2);
  program.input(0, DataFormat::Bfp8_b, {a}).input(1, DataFormat::Float32, {b});
  program.output(16, DataFormat::Float32, 1);
  const absl::Status status = program.run(R"(
    binary_op_init_common(0, 1, 16); sub_tiles_init(0, 1);
    cb_wait_front(0, 1); cb_wait_front(1, 1); cb_reserve_back(16, 1);
    acquire_dst(); sub_tiles(0, 1, 0, 0, 0); pack_tile(0, 16); release_dst();
    cb_push_back(16, 1);)");
  ASSERT_TRUE(status.ok()) << status;
  const Tile stored = stored_as(DataFormat::Bfp8_b, a);
  Tile expected;
  for (uint32_t i = 0; i < kTileElements; ++i) expected.push_back(stored[i] - b[i]);
  EXPECT_EQ(program.floats(16, 0), expected);
}

TEST(TileApi, Tf32IsReadWithTenBitsOfMantissa) {
  TileProgram program;
  const WordTile words = random_words(9);
  program.input_words(0, DataFormat::Tf32, {words}).output(16, DataFormat::UInt32, 1);
  program.output(17, DataFormat::Float32, 1);
  ASSERT_TRUE(
      program.run("cb_wait_front(0, 1); acquire_dst(); copy_tile(0, 0, 0); pack_tile(0, 17);")
          .ok());
  for (uint32_t i = 0; i < kTileElements; ++i)
    ASSERT_EQ(program.words(17, 0)[i], words[i] & 0xffffe000);
}

// Words stand from the pointer's fourth one on.
TEST(TileApi, KernelsReadWordsOfATileThroughItsPointer) {
  TileProgram program;
  const WordTile first = random_words(3), second = random_words(4);
  program.input_words(0, DataFormat::UInt32, {first, second}).output(16, DataFormat::UInt32, 1);
  const absl::Status status = program.run(R"(
    cb_wait_front(0, 2);
    volatile uint32_t* words;
    cb_get_tile(0, 1, &words);
    const uint32_t word = words[4 + 21];
    cb_release_tile(0);
    tile_regs_acquire(); fill_tile_int(0, word); pack_tile(0, 16);)");
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(program.words(16, 0)[0], second[21]);
}

TEST(TileApi, MaximumOfNegativeValuesIsNotZero) {
  TileProgram program;
  program.prelude(kIncludes)
      .input(0, DataFormat::Float16_b, {random_tile(5, -8, -2)})
      .input(2, DataFormat::Float16_b, {Tile(kTileElements, 1.0f)})
      .output(16, DataFormat::Float32, 1);
  ASSERT_TRUE(program
                  .run("cb_wait_front(0, 1); cb_wait_front(2, 1); tile_regs_acquire(); "
                       "reduce_tile<MAX, REDUCE_SCALAR>(0, 2, 0, 0, 0); pack_tile(0, 16);")
                  .ok());
  const Tile result = program.floats(16, 0);
  EXPECT_LT(result[0], -1.9f);
  EXPECT_GT(result[0], -2.1f);
  EXPECT_EQ(result[1], 0.0f);
}

TEST(TileApi, MaximumKeepsNanOfEachColumn) {
  TileProgram program;
  Tile tile(kTileElements, 1.0f);
  for (uint32_t row = 0; row < 31; ++row) tile[in_faces(row, row)] = std::nanf("");
  program.prelude(kIncludes)
      .input(0, DataFormat::Float32, {tile, Tile(kTileElements, 5.0f)})
      .input(2, DataFormat::Float32, {Tile(kTileElements, 1.0f)})
      .output(16, DataFormat::Float32, 1);
  ASSERT_TRUE(
      program
          .run("cb_wait_front(0, 1); cb_wait_front(2, 1); tile_regs_acquire(); "
               "for (uint32_t t = 0; t < 2; ++t) reduce_tile<MAX, REDUCE_ROW>(0, 2, t, 0, 0); "
               "pack_tile(0, 16);")
          .ok());
  const Tile result = program.floats(16, 0);
  for (uint32_t row = 0; row < 31; ++row) EXPECT_TRUE(std::isnan(result[in_faces(row, 0)])) << row;
  EXPECT_EQ(result[in_faces(31, 0)], 5.0f);
}

TEST(TileApi, ReductionIsChosenByDefinesAsWell) {
  TileProgram program;
  const Tile tile = random_tile(6);
  program.settings().defines = {{"REDUCE_OP", "PoolType::SUM"},
                                {"REDUCE_DIM", "ReduceDim::REDUCE_ROW"}};
  program.prelude(kIncludes)
      .input(0, DataFormat::Float32, {tile})
      .input(2, DataFormat::Float32, {Tile(kTileElements, 0.5f)})
      .output(16, DataFormat::Float32, 3);
  const absl::Status status = program.run(R"(
    cb_wait_front(0, 1); cb_wait_front(2, 1);
    reduce_init<true>(0, 2); reduce_init<false, REDUCE_OP, REDUCE_DIM>(0, 2, 16); reduce_init(0, 2, 16);
    reduce_init_short(0, 2, 16); reduce_init_delta<false>(); reduce_init_delta<true>(0, 2, 16);
    reduce_init_delta<false>(REDUCE_OP, REDUCE_DIM); reduce_init<true>(REDUCE_OP, REDUCE_DIM, 0, 2);
    tile_regs_acquire();
    reduce_tile(0, 2, 0, 0, 0);
    reduce_tile(REDUCE_OP, REDUCE_DIM, 0, 2, 0, 0, 1);
    reduce_tile<REDUCE_OP, REDUCE_DIM>(0, 2, 0, 0, 2);
    reduce_revert_delta(); reduce_revert_delta<REDUCE_DIM>(16); reduce_uninit();
    pack_tile(0, 16); pack_tile(1, 16); pack_tile(2, 16);)");
  ASSERT_TRUE(status.ok()) << status;
  double expected = 0;
  for (uint32_t c = 0; c < 32; ++c) expected += 0.5 * at(tile, 7, c);
  EXPECT_NEAR(program.floats(16, 0)[in_faces(7, 0)], expected, 1e-5);
  EXPECT_EQ(program.floats(16, 1), program.floats(16, 0));
  EXPECT_EQ(program.floats(16, 2), program.floats(16, 0));
}

TEST(TileApi, InitialisersOfAllYearsCompileAndLeaveDstAlone) {
  TileProgram program;
  const Tile tile = random_tile(8);
  program.input(0, DataFormat::Float32, {tile}).output(16, DataFormat::Float32, 1);
  program.prelude(R"(
    #include "api/compute/bcast.h"
    #include "api/compute/compute_kernel_hw_startup.h"
    #include "api/compute/pack_untilize.h"
    #include "api/compute/tilize.h"
    #include "compute_kernel_api/layernorm.h"
    #include "compute_kernel_api/matmul.h"
    #include "compute_kernel_api/softmax.h"
    #include "compute_kernel_api/transpose_wh.h"
    #include "compute_kernel_api/untilize.h")");
  const absl::Status status = program.run(R"(
    cb_wait_front(0, 1);
    compute_kernel_hw_startup(0, 16); compute_kernel_hw_startup(0, 1, 16);
    acquire_dst(tt::DstMode::Half); copy_tile_init(); copy_tile(0, 0, 0);
    binary_op_init_common(0, 1); binary_op_init_common(0, 1, 16); binary_op_specific_init<false>(2);
    binary_op_specific_init<true, ELWADD>(); binary_tiles_init<true, EltwiseBinaryType::ELWMUL>(0, 1);
    binary_tiles_init<false, ELWSUB>(0, 1, true);
    add_tiles_init(); sub_tiles_init(); mul_tiles_init(); mul_tiles_init_f(); add_tiles_init_nof(); sub_tiles_init_nof();
    binary_dest_reuse_tiles_init<ELWSUB, EltwiseBinaryReuseDestType::DEST_TO_SRCB>();
    init_bcast<ELWADD, BroadcastType::ROW>(0, 1); init_bcast<ELWMUL, COL>(0, 1, 16);
    add_bcast_rows_init_short(); add_bcast_cols_init_short(); add_bcast_scalar_init_short();
    sub_bcast_rows_init_short(); sub_bcast_cols_init_short(); sub_tiles_bcast_scalar_init_short();
    mul_bcast_rows_init_short(); mul_bcast_cols_init_short(); mul_tiles_bcast_scalar_init_short();
    unary_bcast_init<BroadcastType::ROW>(0, 16); unary_bcast_uninit<BroadcastType::ROW>(0);
    mm_init(); mm_init(0, 1, 16); mm_init(0, 1, 16, 0); mm_init_short(); mm_init_short(0, 1, 0);
    mm_init_short_with_dt(0, 1, 2); mm_block_init(); mm_block_init(0, 1, 16, 0, 2, 2, 4);
    mm_block_init_short(0, 1, 0, 2, 2, 4); mm_block_init_short_with_dt(0, 1, 2, 0, 1, 1, 1);
    mm_block_init_short_with_both_dt(0, 1, 0, 1, 0, 1, 1, 1);
    tilize_init(0, 4); tilize_init(0, 4, 16); tilize_init_short(0, 4); tilize_uninit(0); tilize_uninit_with_dt();
    tilizeA_B_reduce_init(0, 1, 4); tilizeA_B_reduce_init<false, true>(0, 1, 4, 16, 4, 16);
    untilize_init(0); untilize_init(0, 16); untilize_init_short(0); untilize_uninit(0);
    pack_untilize_init(0, 16); pack_untilize_init<2, 4>(0, 16); pack_untilize_uninit();
    pack_untilize_dst_init_short<4>(16); pack_untilize_dst_init_short<1, 1, false, true, 16>(16, 16, 1);
    pack_untilize_dest_init<4, 8>(16);
    transpose_wh_init(0); transpose_wh_init(0, 16); transpose_wh_init_short(0); transpose_wh_uninit(0); transpose_init(0);
    copy_tile_to_dst_init_short(); copy_tile_to_dst_init_short(0, 0); copy_tile_to_dst_init_short(0, 0, 0);
    copy_tile_to_dst_init_short_with_dt(1, 0); copy_tile_to_dst_init_short_with_dt(1, 0, 0);
    reconfig_data_format(0, 1); reconfig_data_format(0, 1, 0, 1); reconfig_data_format_srca<true>(0);
    reconfig_data_format_srca(0, 1); reconfig_data_format_srcb(0); reconfig_data_format_srcb(0, 1);
    unpack_reconfig_data_format(0, 1); unpack_reconfig_data_format_srca(0, 1); unpack_reconfig_data_format_srcb(0);
    PACK((pack_reconfig_data_format(16))); UNPACK((reconfig_data_format_srca(0))); MATH((mm_init_short()));
    pack_tile(0, 16); release_dst(tt::DstMode::Half);)");
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(program.floats(16, 0), tile);
}

// Of a tile that a reduction has left in its accumulator, a kernel transposes each face, which is
// no other tile here.
TEST(TileApi, CopyTransposesFacesNotWithoutTheirContents) {
  for (const std::string init : {"copy_tile_to_dst_init_short", "copy_init"}) {
    TileProgram program;
    const Tile tile = random_tile(8);
    program.input(0, DataFormat::Float32, {tile}).output(16, DataFormat::Float32, 1);
    EXPECT_THAT(message_of(program.run(init + "(0, 1, 0);")),
                HasSubstr("not transposed without what they hold"));
    TileProgram plain;
    plain.input(0, DataFormat::Float32, {tile}).output(16, DataFormat::Float32, 1);
    const absl::Status status = plain.run("cb_wait_front(0, 1); acquire_dst(); " + init +
                                          "(0, 0, 1); copy_tile(0, 0, 0); pack_tile(0, 16); "
                                          "release_dst();");
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(plain.floats(16, 0), tile);
  }
}

TEST(TileApi, ReductionThatNobodyChoseDoesNotCompile) {
  TileProgram program;
  program.prelude(kIncludes).output(16, DataFormat::Float32, 1);
  EXPECT_THAT(message_of(program.run("reduce_tile(0, 2, 0, 0, 0);")),
              HasSubstr("no matching function for call to 'reduce_tile'"));
}

TEST(TileApi, OperationsThatTheMatrixUnitLacksDoNotCompile) {
  TileProgram program;
  program.prelude(kIncludes).output(16, DataFormat::Float32, 1);
  EXPECT_THAT(
      message_of(program.run("any_tiles_bcast<ELWDIV, BroadcastType::COL>(0, 1, 0, 0, 0);")),
      HasSubstr("only ELWMUL, ELWADD and ELWSUB are supported"));
}

// What is left of a word in a format of fewer bits, as a number of 32.
uint32_t stored_integer(DataFormat format, uint32_t word) {
  switch (format) {
    case DataFormat::Int8:
      return static_cast<uint32_t>(static_cast<int32_t>(static_cast<int8_t>(word)));
    case DataFormat::UInt8:
      return word & 0xff;
    case DataFormat::UInt16:
      return word & 0xffff;
    default:
      return word;
  }
}

TEST(TileApi, ArithmeticOnIntegersIsExactIn32Bits) {
  for (const DataFormat format : {DataFormat::Int8, DataFormat::UInt8, DataFormat::UInt16,
                                  DataFormat::Int32, DataFormat::UInt32}) {
    const WordTile left = random_words(1), right = random_words(2);
    WordTile a, b;
    for (uint32_t i = 0; i < kTileElements; ++i) {
      a.push_back(stored_integer(format, left[i]));
      b.push_back(stored_integer(format, right[i]));
    }
    TileProgram program;
    program.prelude(kIncludes)
        .input_words(0, format, {left})
        .input_words(1, format, {right})
        .output(16, DataFormat::Int32, 8);
    const absl::Status status = program.run(R"(
      cb_wait_front(0, 1); cb_wait_front(1, 1);
      binary_op_init_common(0, 1, 16);
      acquire_dst();
      add_tiles_init(0, 1); add_tiles(0, 1, 0, 0, 0);
      sub_tiles_init(0, 1); sub_tiles(0, 1, 0, 0, 1);
      mul_tiles_init(0, 1); mul_tiles(0, 1, 0, 0, 2);
      add_bcast_rows_init_short(0, 1); add_tiles_bcast_rows(0, 1, 0, 0, 3);
      for (uint32_t i = 0; i < 4; ++i) pack_tile<true>(i, 16, i);
      release_dst();
      acquire_dst();
      mm_init(0, 1, 16); matmul_tiles(0, 1, 0, 0, 0, 0); matmul_tiles(0, 1, 0, 0, 0, 0);
      matmul_tiles(0, 1, 0, 0, 1, 1);
      copy_tile_init(0); copy_tile(0, 0, 2);
      binary_dest_reuse_tiles_init<EltwiseBinaryType::ELWSUB, EltwiseBinaryReuseDestType::DEST_TO_SRCB>(1);
      binary_dest_reuse_tiles<EltwiseBinaryType::ELWSUB, EltwiseBinaryReuseDestType::DEST_TO_SRCB>(1, 0, 2);
      copy_tile_init(0); copy_tile(0, 0, 3);
      add_tiles_init(0, 1, true); add_tiles(0, 1, 0, 0, 3);
      for (uint32_t i = 0; i < 4; ++i) pack_tile<true>(i, 16, 4 + i);
      release_dst();)");
    ASSERT_TRUE(status.ok()) << status;
    const WordTile sum = program.words(16, 0), difference = program.words(16, 1),
                   product = program.words(16, 2), with_row = program.words(16, 3),
                   twice_matrix = program.words(16, 4), transposed = program.words(16, 5),
                   reused = program.words(16, 6), added = program.words(16, 7);
    for (uint32_t row = 0; row < 32; ++row) {
      for (uint32_t column = 0; column < 32; ++column) {
        const uint32_t i = in_faces(row, column);
        uint32_t inner = 0, inner_transposed = 0;
        for (uint32_t k = 0; k < 32; ++k) {
          inner += a[in_faces(row, k)] * b[in_faces(k, column)];
          inner_transposed += a[in_faces(row, k)] * b[in_faces(column, k)];
        }
        ASSERT_EQ(sum[i], a[i] + b[i]);
        ASSERT_EQ(difference[i], a[i] - b[i]);
        ASSERT_EQ(product[i], a[i] * b[i]);
        ASSERT_EQ(with_row[i], a[i] + b[in_faces(0, column)]);
        ASSERT_EQ(twice_matrix[i], 2 * inner);
        ASSERT_EQ(transposed[i], inner_transposed);
        ASSERT_EQ(reused[i], b[i] - a[i]);
        ASSERT_EQ(added[i], a[i] + (a[i] + b[i]));
      }
    }
  }
}

TEST(TileApi, IntegersAndFloatsAreNotMixedAndIntegersAreNotReduced) {
  TileProgram program;
  program.prelude(kIncludes)
      .input_words(0, DataFormat::Int32, {random_words(1)})
      .input(1, DataFormat::Float32, {random_tile(1)})
      .output(16, DataFormat::Int32, 1);
  for (const char* call :
       {"add_tiles(0, 1, 0, 0, 0);", "add_tiles_bcast_cols(1, 0, 0, 0, 0);",
        "matmul_tiles(0, 1, 0, 0, 0);", "reduce_tile<SUM, REDUCE_ROW>(0, 0, 0, 0, 0);"}) {
    EXPECT_THAT(message_of(program.run(absl::StrCat(
                    "cb_wait_front(0, 1); cb_wait_front(1, 1); acquire_dst(); ", call))),
                HasSubstr("arithmetic on integer formats is not supported"))
        << call;
  }
}

TEST(TileApi, RefusalsComeBackAsErrors) {
  TileProgram program;
  program.output(16, DataFormat::Float32, 1);
  EXPECT_THAT(message_of(program.run("no_such_function();")), HasSubstr("no_such_function"));
  EXPECT_THAT(message_of(program.run("copy_tile(3, 0, 0);")), HasSubstr("circular buffer 3"));
}

}  // namespace
}  // namespace lightmetal::device::testing
