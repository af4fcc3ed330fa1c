#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "device/cpu/tiles/dst.h"
#include "tests/device/tiles/tiles_test_kit.h"

namespace lightmetal::device::cpu {
namespace {

using testing::HasSubstr;

// ---- DST ----

// What a kernel sees of DST: the tile as it is packed.
Tile packed(Core& core, uint32_t dst) {
  core->pack_tile(core.context(), dst, 1, 0);
  return core.read<float>(1, 0);
}

TEST(TileMath, AcquiredTilesAreZero) {
  Core core;
  core.add_buffer(1, DataFormat::Float32);
  core->dst_acquire(core.context());
  for (uint32_t tile = 0; tile < kernel_abi::kDstTiles; ++tile)
    EXPECT_EQ(packed(core, tile), Tile(kElements, 0.0f));
}

TEST(TileMath, AcquiringAgainZeroesWhatWasWritten) {
  Core core;
  core.add_buffer(0, DataFormat::Float32);
  core.add_buffer(1, DataFormat::Float32);
  core.write(0, 0, random_tile(1));
  core->dst_acquire(core.context());
  core->copy_tile(core.context(), 0, 0, 5);
  core->matmul_tiles(core.context(), 0, 0, 0, 0, 6, 0);
  const Tile product = packed(core, 6);
  EXPECT_NE(product, Tile(kElements, 0.0f));
  core->dst_acquire(core.context());
  EXPECT_EQ(packed(core, 5), Tile(kElements, 0.0f));
  core->matmul_tiles(core.context(), 0, 0, 0, 0, 6, 0);
  EXPECT_EQ(packed(core, 6), product);
}

TEST(TileMath, TileOutsideDstFails) {
  Core core;
  core.add_buffer(0, DataFormat::Float32);
  EXPECT_THAT(failure_of([&] { core->copy_tile(core.context(), 0, 0, 16); }),
              HasSubstr("DST has no tile 16"));
}

TEST(TileMath, TileOutsideDstIsNeitherWrittenNorOfIntegers) {
  Core core;
  core.context()->dst_state = 0xffffffff;
  EXPECT_TRUE(dst_is_written(core.context(), kernel_abi::kDstTiles - 1));
  EXPECT_TRUE(dst_holds_integers(core.context(), kernel_abi::kDstTiles - 1));
  for (uint32_t dst : {kernel_abi::kDstTiles, 2 * kernel_abi::kDstTiles, 0xffffffffu}) {
    EXPECT_FALSE(dst_is_written(core.context(), dst)) << dst;
    EXPECT_FALSE(dst_holds_integers(core.context(), dst)) << dst;
  }
}

// ---- Circular buffers ----

TEST(TileMath, TilesCountFromTheReadAndWritePointers) {
  Core core;
  core.add_buffer(0, DataFormat::Float32);
  core.write(0, 3, Tile(kElements, 7.0f));
  core.context()->cb[0].read_ptr += 4096;
  core.context()->cb[0].write_ptr += 8192;
  core->copy_tile(core.context(), 0, 2, 0);
  core->pack_tile(core.context(), 0, 0, 4);
  EXPECT_EQ(core.read<float>(0, 6), Tile(kElements, 7.0f));
}

TEST(TileMath, TilePastTheEndOfACircularBufferFails) {
  Core core;
  core.add_buffer(0, DataFormat::Float32);
  EXPECT_THAT(failure_of([&] { core->copy_tile(core.context(), 0, 8, 0); }),
              HasSubstr("tile 8 lies past its end"));
  EXPECT_THAT(failure_of([&] { core->pack_tile(core.context(), 0, 0, 8); }),
              HasSubstr("tile 8 lies past its end"));
}

TEST(TileMath, MissingCircularBufferFails) {
  Core core;
  EXPECT_THAT(failure_of([&] { core->copy_tile(core.context(), 5, 0, 0); }),
              HasSubstr("circular buffer 5"));
  EXPECT_THAT(failure_of([&] { core->copy_tile(core.context(), 32, 0, 0); }),
              HasSubstr("not below 32"));
}

// A kernel object sets the shapes of tiles, so they may be any numbers.
TEST(TileMath, TilesOfNoShapeFail) {
  Core core;
  core.add_buffer(0, DataFormat::Float32);
  const auto copied = [&](uint32_t rows, uint32_t columns, uint32_t bytes) {
    core.context()->cb[0].tile_shape = rows | columns << 16;
    core.context()->cb[0].tile_bytes = bytes;
    return failure_of([&] { core->copy_tile(core.context(), 0, 0, 0); });
  };
  EXPECT_EQ(copied(16, 32, 2048), "no failure");
  EXPECT_EQ(copied(1, 16, 64), "no failure");
  EXPECT_THAT(copied(0, 0, 2048), HasSubstr("no tile of 32x32 has 2048 bytes"));
  EXPECT_THAT(copied(16, 32, 4096), HasSubstr("no tile of 16x32 has 4096 bytes"));
  EXPECT_THAT(copied(3, 32, 384), HasSubstr("no tile of 3x32"));
  EXPECT_THAT(copied(64, 32, 8192), HasSubstr("no tile of 64x32"));
  EXPECT_THAT(copied(32, 8, 1024), HasSubstr("no tile of 32x8"));
  EXPECT_THAT(copied(0, 32, 0), HasSubstr("no tile of 0x32"));
  EXPECT_THAT(copied(0xffff, 0xffff, 4096), HasSubstr("no tile of 65535x65535"));
}

// A kernel object may pass any numbers: no sum or product of them may wrap into a place that is
// fine.

TEST(TileMath, RowsThatEndBeyondTheirRowOfTilesFail) {
  Core core;
  core.add_buffer(0, DataFormat::Float32);
  const auto pack = [&](uint32_t tiles, uint32_t first) {
    core->tiles->pack_untilize(core.context(), 0, tiles, 2, first, 0, 0, {32, 32});
  };
  pack(1, 1);
  EXPECT_THAT(failure_of([&] { pack(2, 1); }), HasSubstr("do not fit rows of 2 tiles"));
  EXPECT_THAT(failure_of([&] { pack(1, 0xffffffff); }), HasSubstr("do not fit rows of 2 tiles"));
  EXPECT_THAT(failure_of([&] { pack(0xffffffff, 1); }), HasSubstr("do not fit rows of 2 tiles"));
}

TEST(TileMath, RowsThatNoMemoryHoldsFail) {
  Core core;
  core.add_buffer(0, DataFormat::Float32);
  const kernel_abi::TileServices& tiles = *core->tiles;
  constexpr uint32_t kWraps = uint32_t{1} << 27;  // in 32 bits, rows of so many tiles have no bytes
  EXPECT_THAT(failure_of([&] {
                tiles.pack_untilize(core.context(), 0, 1, kWraps, 0, 0, 0, {32, 32});
              }),
              HasSubstr("no L1 holds rows of 134217728 tiles"));
  EXPECT_THAT(failure_of([&] { tiles.tilize(core.context(), 0, kWraps, 0, 0, 0); }),
              HasSubstr("no L1 holds rows of 134217728 tiles"));
  EXPECT_THAT(failure_of([&] { tiles.untilize(core.context(), 0, kWraps, 0, 0, 0); }),
              HasSubstr("no L1 holds rows of 134217728 tiles"));
}

TEST(TileMath, ABlockOfRowsFarBeyondL1Fails) {
  Core core;
  core.add_buffer(0, DataFormat::Float32);
  const auto pack = [&](uint32_t row_tiles, uint32_t block) {
    core->tiles->pack_untilize(core.context(), 0, 1, row_tiles, 0, block, 0, {32, 32});
  };
  pack(4, 1);
  EXPECT_THAT(failure_of([&] { pack(4, 2); }), HasSubstr("block of rows 2 lies past its end"));
  EXPECT_THAT(failure_of([&] { pack(4, 0xffffffff); }), HasSubstr("lies past its end"));
  // In 64 bits these blocks end where they begin: each has 2^38 bytes, and there are 2^26 of them.
  EXPECT_THAT(failure_of([&] { pack(1 << 26, (1 << 26) - 1); }), HasSubstr("no L1 holds rows"));
}

TEST(TileMath, RowsToReduceThatAreNotThereFail) {
  Core core;
  core.add_buffer(0, DataFormat::Float32);
  const auto reduce = [&](uint32_t tiles, uint32_t tile, kernel_abi::RowShape shape) {
    core->tiles->reduce_rows(core.context(), kernel_abi::ReduceOp::kSum,
                             kernel_abi::ReduceDim::kScalar, 0, 0, tiles, tile, 0, 0, shape);
  };
  reduce(2, 1, {32, 32});
  EXPECT_THAT(failure_of([&] { reduce(2, 2, {32, 32}); }), HasSubstr("have no tile 2"));
  EXPECT_THAT(failure_of([&] { reduce(1, 0, {33, 32}); }), HasSubstr("no part of 33 rows"));
  EXPECT_THAT(failure_of([&] { reduce(1, 0, {32, 64}); }), HasSubstr("and 64 columns"));
  EXPECT_THAT(failure_of([&] { reduce(1 << 27, 0, {32, 32}); }), HasSubstr("no L1 holds rows"));
}

// ---- Arithmetic ----

TEST(TileMath, BinaryOperationsAreExactForBfloat16) {
  Core core;
  core.add_buffer(0, DataFormat::Float16_b);
  core.add_buffer(1, DataFormat::Float16_b);
  const auto a = bfloat16s(random_tile(1));
  const auto b = bfloat16s(random_tile(2));
  core.write(0, 1, a);
  core.write(1, 2, b);
  const auto expect = [&](BinaryOp op, const std::function<float(float, float)>& reference) {
    core->binary_tiles(core.context(), op, 0, 1, 1, 2, 0, 0);
    const Tile result = core.dst(0);
    for (uint32_t i = 0; i < kElements; ++i)
      ASSERT_EQ(result[i], reference(widened(a[i]), widened(b[i])));
  };
  expect(BinaryOp::kAdd, [](float x, float y) { return x + y; });
  expect(BinaryOp::kSub, [](float x, float y) { return x - y; });
  expect(BinaryOp::kMul, [](float x, float y) { return x * y; });
}

TEST(TileMath, BinaryOperationAddsToDstWhenAsked) {
  Core core;
  core.add_buffer(0, DataFormat::Float32);
  core.write(0, 0, Tile(kElements, 3.0f));
  core.write(0, 1, Tile(kElements, 5.0f));
  core->dst_acquire(core.context());
  core->binary_tiles(core.context(), BinaryOp::kMul, 0, 0, 0, 1, 2, 1);
  core->binary_tiles(core.context(), BinaryOp::kSub, 0, 0, 0, 1, 2, 1);
  EXPECT_EQ(core.dst(2), Tile(kElements, 13.0f));
}

TEST(TileMath, DestReuseSaysWhichOperandDstIs) {
  Core core;
  core.add_buffer(0, DataFormat::Float32);
  core.write(0, 0, Tile(kElements, 3.0f));
  core.write(0, 1, Tile(kElements, 10.0f));
  core->copy_tile(core.context(), 0, 0, 0);
  core->copy_tile(core.context(), 0, 0, 1);
  core->binary_dest_reuse(core.context(), BinaryOp::kSub, DestReuse::kDestToSrcA, 0, 1, 0);
  core->binary_dest_reuse(core.context(), BinaryOp::kSub, DestReuse::kDestToSrcB, 0, 1, 1);
  EXPECT_EQ(core.dst(0), Tile(kElements, -7.0f));
  EXPECT_EQ(core.dst(1), Tile(kElements, 7.0f));
}

void expect_product(const Tile& product, const Tile& a, const Tile& b, bool transpose) {
  for (uint32_t row = 0; row < 32; ++row) {
    for (uint32_t column = 0; column < 32; ++column) {
      double expected = 0;
      double size = 0;
      for (uint32_t k = 0; k < 32; ++k) {
        const double term =
            double{a[in_faces(row, k)]} * b[transpose ? in_faces(column, k) : in_faces(k, column)];
        expected += term;
        size += std::abs(term);
      }
      ASSERT_NEAR(product[in_faces(row, column)], expected, size * 2e-6) << row << "," << column;
    }
  }
}

TEST(TileMath, MatmulIsTheMatrixProduct) {
  Core core;
  core.add_buffer(0, DataFormat::Float16_b);
  core.add_buffer(1, DataFormat::Float16_b);
  const auto a = bfloat16s(random_tile(1));
  const auto b = bfloat16s(random_tile(2));
  core.write(0, 3, a);
  core.write(1, 5, b);
  core->dst_acquire(core.context());
  core->matmul_tiles(core.context(), 0, 1, 3, 5, 0, 0);
  core->matmul_tiles(core.context(), 0, 1, 3, 5, 1, 1);
  expect_product(core.dst(0), widened(a), widened(b), false);
  expect_product(core.dst(1), widened(a), widened(b), true);
}

TEST(TileMath, MatmulOfOneElementMovesIt) {
  Core core;
  core.add_buffer(0, DataFormat::Float32);
  Tile a(kElements, 0.0f);
  Tile b(kElements, 0.0f);
  a[in_faces(20, 9)] = 2;
  b[in_faces(9, 30)] = 3;
  core.write(0, 0, a);
  core.write(0, 1, b);
  core->dst_acquire(core.context());
  core->matmul_tiles(core.context(), 0, 0, 0, 1, 0, 0);
  Tile expected(kElements, 0.0f);
  expected[in_faces(20, 30)] = 6;
  EXPECT_EQ(core.dst(0), expected);
}

TEST(TileMath, MatmulAddsToDst) {
  Core core;
  core.add_buffer(0, DataFormat::Float32);
  core.write(0, 0, Tile(kElements, 1.0f));
  core->dst_acquire(core.context());
  for (int i = 0; i < 3; ++i) core->matmul_tiles(core.context(), 0, 0, 0, 0, 9, 0);
  EXPECT_EQ(core.dst(9), Tile(kElements, 96.0f));
}

TEST(TileMath, ResultsDoNotDependOnTheThread) {
  const auto product = [] {
    Core core;
    core.add_buffer(0, DataFormat::Float32);
    core.write(0, 0, random_tile(11));
    core->dst_acquire(core.context());
    for (int i = 0; i < 5; ++i) core->matmul_tiles(core.context(), 0, 0, 0, 0, 0, 0);
    return core.dst(0);
  };
  const Tile expected = product();
  Tile first;
  Tile second;
  std::thread one([&] { first = product(); });
  std::thread two([&] { second = product(); });
  one.join();
  two.join();
  EXPECT_EQ(first, expected);
  EXPECT_EQ(second, expected);
}

struct UnaryCase {
  const char* name;
  UnaryOp op;
  double (*reference)(double);
  float low;
  float high;
};

void PrintTo(const UnaryCase& unary, std::ostream* out) { *out << unary.name; }

class UnaryOperation : public testing::TestWithParam<UnaryCase> {};

TEST_P(UnaryOperation, IsRightToOneMillionth) {
  const UnaryCase& c = GetParam();
  Core core;
  core.add_buffer(0, DataFormat::Float32);
  for (uint32_t round = 0; round < 20; ++round) {
    Tile tile = random_tile(round, c.low, c.high);
    for (uint32_t i = 0; i < 200; ++i) tile[i] *= 1e-3f;
    core.write(0, 0, tile);
    core->copy_tile(core.context(), 0, 0, 0);
    core->unary_tile(core.context(), c.op, 0, 0, 0);
    const Tile result = core.dst(0);
    for (uint32_t i = 0; i < kElements; ++i) {
      const double expected = c.reference(tile[i]);
      ASSERT_NEAR(result[i], expected, 1e-6 * std::abs(expected))
          << c.name << "(" << tile[i] << ")";
    }
  }
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double gelu(double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); }

INSTANTIATE_TEST_SUITE_P(
    TileMath, UnaryOperation,
    testing::Values(
        UnaryCase{"exp", UnaryOp::kExp, [](double x) { return std::exp(x); }, -87, 88},
        UnaryCase{"relu", UnaryOp::kRelu, [](double x) { return x < 0 ? 0 : x; }, -9, 9},
        UnaryCase{"sqrt", UnaryOp::kSqrt, [](double x) { return std::sqrt(x); }, 0, 1e6},
        UnaryCase{"recip", UnaryOp::kRecip, [](double x) { return 1 / x; }, -1e3, 1e3},
        UnaryCase{"log", UnaryOp::kLog, [](double x) { return std::log(x); }, 0, 1e6},
        UnaryCase{"sigmoid", UnaryOp::kSigmoid, sigmoid, -80, 80},
        UnaryCase{"tanh", UnaryOp::kTanh, [](double x) { return std::tanh(x); }, -12, 12},
        UnaryCase{"gelu", UnaryOp::kGelu, gelu, -12, 12},
        UnaryCase{"abs", UnaryOp::kAbs, [](double x) { return std::abs(x); }, -9, 9},
        UnaryCase{"negative", UnaryOp::kNegative, [](double x) { return -x; }, -9, 9},
        UnaryCase{"square", UnaryOp::kSquare, [](double x) { return x * x; }, -1e3, 1e3},
        UnaryCase{"rsqrt", UnaryOp::kRsqrt, [](double x) { return 1 / std::sqrt(x); }, 1e-3, 1e6}),
    [](const auto& info) { return std::string(info.param.name); });

float unary_of(UnaryOp op, float value) {
  Core core;
  core.add_buffer(0, DataFormat::Float32);
  core.write(0, 0, Tile(kElements, value));
  core->copy_tile(core.context(), 0, 0, 0);
  core->unary_tile(core.context(), op, 0, 0, 0);
  return core.dst(0)[1023];
}

TEST(TileMath, UnaryOperationsHoldAtTheEdges) {
  EXPECT_EQ(unary_of(UnaryOp::kExp, kInfinity), kInfinity);
  EXPECT_EQ(unary_of(UnaryOp::kExp, -kInfinity), 0.0f);
  EXPECT_EQ(unary_of(UnaryOp::kExp, 89.0f), kInfinity);
  EXPECT_EQ(unary_of(UnaryOp::kExp, 1e30f), kInfinity);
  EXPECT_EQ(unary_of(UnaryOp::kExp, -1e30f), 0.0f);
  EXPECT_EQ(unary_of(UnaryOp::kExp, 0.0f), 1.0f);
  EXPECT_TRUE(std::isnan(unary_of(UnaryOp::kExp, kNan)));
  EXPECT_EQ(unary_of(UnaryOp::kLog, 0.0f), -kInfinity);
  EXPECT_EQ(unary_of(UnaryOp::kLog, kInfinity), kInfinity);
  EXPECT_EQ(unary_of(UnaryOp::kLog, 1.0f), 0.0f);
  EXPECT_NEAR(unary_of(UnaryOp::kLog, 1e-40f), std::log(1e-40), 1e-4);
  EXPECT_TRUE(std::isnan(unary_of(UnaryOp::kLog, -1.0f)));
  EXPECT_TRUE(std::isnan(unary_of(UnaryOp::kLog, kNan)));
  EXPECT_EQ(unary_of(UnaryOp::kTanh, kInfinity), 1.0f);
  EXPECT_EQ(unary_of(UnaryOp::kTanh, -1e30f), -1.0f);
  EXPECT_TRUE(std::isnan(unary_of(UnaryOp::kTanh, kNan)));
  EXPECT_EQ(unary_of(UnaryOp::kSigmoid, -kInfinity), 0.0f);
  EXPECT_EQ(unary_of(UnaryOp::kSigmoid, kInfinity), 1.0f);
  EXPECT_EQ(unary_of(UnaryOp::kGelu, -kInfinity), 0.0f);
  EXPECT_EQ(unary_of(UnaryOp::kGelu, kInfinity), kInfinity);
  EXPECT_EQ(unary_of(UnaryOp::kRecip, 0.0f), kInfinity);
  EXPECT_EQ(unary_of(UnaryOp::kRsqrt, 0.0f), kInfinity);
  EXPECT_TRUE(std::isnan(unary_of(UnaryOp::kSqrt, -1.0f)));
  EXPECT_TRUE(std::isnan(unary_of(UnaryOp::kRelu, kNan)));
}

TEST(TileMath, UnknownUnaryOperationFails) {
  Core core;
  EXPECT_THAT(
      failure_of([&] { core->unary_tile(core.context(), static_cast<UnaryOp>(99), 0, 0, 0); }),
      HasSubstr("unary operation 99"));
}

TEST(TileMath, PackReluClampsBelowAtZeroUntilSwitchedOff) {
  Core core;
  core.add_buffer(0, DataFormat::Float32);
  core.add_buffer(1, DataFormat::Float16_b);
  Tile tile(kElements, -1.5f);
  tile[4] = 2.0f;
  core.write(0, 0, tile);
  core->copy_tile(core.context(), 0, 0, 0);
  core->pack_relu(core.context(), 1);
  core->pack_tile(core.context(), 0, 1, 0);
  core->pack_relu(core.context(), 0);
  core->pack_tile(core.context(), 0, 1, 1);
  EXPECT_EQ(core.read<uint16_t>(1, 0)[3], 0x0000);
  EXPECT_EQ(core.read<uint16_t>(1, 0)[4], 0x4000);
  EXPECT_EQ(core.read<uint16_t>(1, 1)[3], 0xbfc0);
  EXPECT_EQ(core.dst(0), tile);
}

}  // namespace
}  // namespace lightmetal::device::cpu
