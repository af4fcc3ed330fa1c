#include "device/cpu/tile_math.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/data_format.h"

namespace lightmetal::device::cpu {
namespace {

using kernel_abi::BinaryOp;
using kernel_abi::Context;
using kernel_abi::DestReuse;
using kernel_abi::Services;
using kernel_abi::UnaryOp;
using testing::HasSubstr;

constexpr uint32_t kElements = kernel_abi::kTileElements;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

using Tile = std::vector<float>;

struct LaunchFailed {
  std::string message;
};

// One core with L1, DST and circular buffers of eight tiles, called as a kernel would.
class Core {
 public:
  Core() : l1_(kL1Words), dst_(kernel_abi::kDstTiles * kElements, 123.0f) {
    fill_tile_services(services_);
    services_.fail = [](Context*, const char*, uint32_t, const char* message) {
      throw LaunchFailed{message};
    };
    context_.services = &services_;
    context_.l1_base = reinterpret_cast<uint64_t>(l1_.data());
    context_.dst = dst_.data();
  }

  void add_buffer(uint32_t index, DataFormat format) {
    auto& cb = context_.cb[index];
    cb.page_size = cb.tile_bytes = tile_bytes(format);
    cb.num_pages = 8;
    cb.base = cb.read_ptr = cb.write_ptr = end_;
    cb.limit = end_ += 8 * cb.page_size;
    cb.format = static_cast<uint32_t>(format);
  }

  template <typename T>
  void write(uint32_t index, uint32_t tile, const std::vector<T>& values) {
    std::memcpy(place(index, tile), values.data(), values.size() * sizeof(T));
  }

  template <typename T>
  std::vector<T> read(uint32_t index, uint32_t tile) {
    std::vector<T> values(tile_bytes(static_cast<DataFormat>(context_.cb[index].format)) /
                          sizeof(T));
    std::memcpy(values.data(), place(index, tile), values.size() * sizeof(T));
    return values;
  }

  Tile dst(uint32_t tile) {
    return {dst_.begin() + tile * kElements, dst_.begin() + (tile + 1) * kElements};
  }

  Context* context() { return &context_; }
  const Services* operator->() const { return &services_; }

 private:
  static constexpr uint32_t kL1Words = 1 << 17;

  std::byte* place(uint32_t index, uint32_t tile) {
    const auto& cb = context_.cb[index];
    return reinterpret_cast<std::byte*>(l1_.data()) + cb.base + tile * cb.page_size;
  }

  std::vector<uint64_t> l1_;
  std::vector<float> dst_;
  uint32_t end_ = 0;
  Services services_{};
  Context context_{};
};

std::string failure_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const LaunchFailed& failed) {
    return failed.message;
  }
  return "no failure";
}

Tile random_tile(uint32_t seed, float low = -4, float high = 4) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> distribution(low, high);
  Tile tile(kElements);
  for (float& value : tile) value = distribution(random);
  return tile;
}

uint16_t truncated(float value) {
  return static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16);
}
float widened(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

std::vector<uint16_t> bfloat16s(const Tile& tile) {
  std::vector<uint16_t> result;
  for (float value : tile) result.push_back(truncated(value));
  return result;
}

Tile widened(const std::vector<uint16_t>& bits) {
  Tile result;
  for (uint16_t value : bits) result.push_back(widened(value));
  return result;
}

uint32_t in_faces(uint32_t row, uint32_t column) {
  return (row / 16 * 2 + column / 16) * 256 + row % 16 * 16 + column % 16;
}

// ---- DST ----

TEST(TileMath, AcquiringZeroesWhatWasInDst) {
  Core core;
  core->dst_acquire(core.context());
  for (uint32_t tile = 0; tile < kernel_abi::kDstTiles; ++tile)
    EXPECT_EQ(core.dst(tile), Tile(kElements, 0.0f));
}

TEST(TileMath, AcquiringAgainZeroesWhatWasWritten) {
  Core core;
  core.add_buffer(0, DataFormat::Float32);
  core.write(0, 0, random_tile(1));
  core->dst_acquire(core.context());
  core->copy_tile(core.context(), 0, 0, 5);
  core->matmul_tiles(core.context(), 0, 0, 0, 0, 6, 0);
  EXPECT_NE(core.dst(6), Tile(kElements, 0.0f));
  core->dst_acquire(core.context());
  EXPECT_EQ(core.dst(5), Tile(kElements, 0.0f));
  EXPECT_EQ(core.dst(6), Tile(kElements, 0.0f));
}

TEST(TileMath, TileOutsideDstFails) {
  Core core;
  core.add_buffer(0, DataFormat::Float32);
  EXPECT_THAT(failure_of([&] { core->copy_tile(core.context(), 0, 0, 16); }),
              HasSubstr("DST has no tile 16"));
}

// ---- Formats ----

TEST(TileMath, EveryBfloat16SurvivesCopyAndPack) {
  Core core;
  core.add_buffer(0, DataFormat::Float16_b);
  core.add_buffer(1, DataFormat::Float16_b);
  for (uint32_t first = 0; first < 0x10000; first += kElements) {
    std::vector<uint16_t> bits(kElements);
    for (uint32_t i = 0; i < kElements; ++i) bits[i] = static_cast<uint16_t>(first + i);
    core.write(0, 0, bits);
    core->copy_tile(core.context(), 0, 0, 0);
    core->pack_tile(core.context(), 0, 1, 0);
    const auto packed = core.read<uint16_t>(1, 0);
    for (uint32_t i = 0; i < kElements; ++i) {
      if (std::isnan(widened(bits[i]))) {
        EXPECT_TRUE(std::isnan(widened(packed[i]))) << bits[i];
      } else {
        EXPECT_EQ(packed[i], bits[i]);
      }
    }
  }
}

TEST(TileMath, PackingToBfloat16RoundsToNearestEven) {
  Core core;
  core.add_buffer(0, DataFormat::Float32);
  core.add_buffer(1, DataFormat::Float16_b);
  const std::vector<std::pair<uint32_t, uint16_t>> cases = {
      {0x3f808000, 0x3f80}, {0x3f818000, 0x3f82}, {0x3f808001, 0x3f81}, {0x3f807fff, 0x3f80},
      {0x7f7fffff, 0x7f80}, {0xff7fffff, 0xff80}, {0x7f800000, 0x7f80}, {0x80000000, 0x8000},
      {0x7f800001, 0x7fc0}, {0x00008000, 0x0000}, {0x00018000, 0x0002}, {0xbf818000, 0xbf82}};
  Tile tile(kElements, 0.0f);
  for (size_t i = 0; i < cases.size(); ++i) tile[i] = std::bit_cast<float>(cases[i].first);
  core.write(0, 0, tile);
  core->copy_tile(core.context(), 0, 0, 0);
  core->pack_tile(core.context(), 0, 1, 0);
  const auto packed = core.read<uint16_t>(1, 0);
  for (size_t i = 0; i < cases.size(); ++i)
    EXPECT_EQ(packed[i], cases[i].second) << std::hex << cases[i].first;
}

TEST(TileMath, EveryHalfSurvivesCopyAndPack) {
  Core core;
  core.add_buffer(0, DataFormat::Float16);
  core.add_buffer(1, DataFormat::Float16);
  for (uint32_t first = 0; first < 0x10000; first += kElements) {
    std::vector<uint16_t> bits(kElements);
    for (uint32_t i = 0; i < kElements; ++i) bits[i] = static_cast<uint16_t>(first + i);
    core.write(0, 0, bits);
    core->copy_tile(core.context(), 0, 0, 0);
    core->pack_tile(core.context(), 0, 1, 0);
    const auto packed = core.read<uint16_t>(1, 0);
    for (uint32_t i = 0; i < kElements; ++i) {
      const bool nan = (bits[i] & 0x7fff) > 0x7c00;
      EXPECT_TRUE(nan ? (packed[i] & 0x7fff) > 0x7c00 : packed[i] == bits[i])
          << bits[i] << " " << packed[i];
    }
  }
}

TEST(TileMath, HalvesHaveTheirValue) {
  Core core;
  core.add_buffer(0, DataFormat::Float16);
  std::vector<uint16_t> bits(kElements, 0);
  bits[0] = 0x3c00;
  bits[1] = 0xc100;
  bits[2] = 0x0001;
  bits[3] = 0x7bff;
  bits[4] = 0x8400;
  core.write(0, 0, bits);
  core->copy_tile(core.context(), 0, 0, 0);
  const Tile values = core.dst(0);
  EXPECT_EQ(values[0], 1.0f);
  EXPECT_EQ(values[1], -2.5f);
  EXPECT_EQ(values[2], 0x1p-24f);
  EXPECT_EQ(values[3], 65504.0f);
  EXPECT_EQ(values[4], -0x1p-14f);
}

TEST(TileMath, PackingToHalfRoundsToNearestEven) {
  Core core;
  core.add_buffer(0, DataFormat::Float32);
  core.add_buffer(1, DataFormat::Float16);
  const std::vector<std::pair<float, uint16_t>> cases = {
      {1.0f + 0x1p-11f, 0x3c00}, {1.0f + 3 * 0x1p-11f, 0x3c02},
      {65519.0f, 0x7bff},        {65520.0f, 0x7c00},
      {1e10f, 0x7c00},           {0x1p-25f, 0x0000},
      {0x1.8p-25f, 0x0001},      {0x1p-24f, 0x0001},
      {-0x1p-30f, 0x8000},       {0x1.ff8p-15f, 0x03ff},
      {0x1.ffcp-15f, 0x0400},    {0x1p-14f, 0x0400},
      {-kInfinity, 0xfc00}};
  Tile tile(kElements, 0.0f);
  for (size_t i = 0; i < cases.size(); ++i) tile[i] = cases[i].first;
  core.write(0, 0, tile);
  core->copy_tile(core.context(), 0, 0, 0);
  core->pack_tile(core.context(), 0, 1, 0);
  const auto packed = core.read<uint16_t>(1, 0);
  for (size_t i = 0; i < cases.size(); ++i) EXPECT_EQ(packed[i], cases[i].second) << cases[i].first;
}

TEST(TileMath, IntegersKeepTheirBitsThroughDst) {
  Core core;
  core.add_buffer(0, DataFormat::UInt32);
  core.add_buffer(1, DataFormat::Int32);
  std::mt19937 random(3);
  std::vector<uint32_t> bits(kElements);
  for (uint32_t& value : bits) value = random();
  bits[0] = 0x7f800001;  // as a float, a NaN that arithmetic would change
  core.write(0, 2, bits);
  core->dst_acquire(core.context());
  core->copy_tile(core.context(), 0, 2, 3);
  core->pack_tile(core.context(), 3, 1, 4);
  EXPECT_EQ(core.read<uint32_t>(1, 4), bits);
}

TEST(TileMath, SmallIntegersKeepTheirValue) {
  Core core;
  core.add_buffer(0, DataFormat::UInt16);
  core.add_buffer(1, DataFormat::UInt32);
  core.add_buffer(2, DataFormat::UInt16);
  core.add_buffer(3, DataFormat::UInt8);
  std::vector<uint16_t> values(kElements);
  for (uint32_t i = 0; i < kElements; ++i) values[i] = static_cast<uint16_t>(i * 63);
  core.write(0, 0, values);
  core->copy_tile(core.context(), 0, 0, 0);
  core->pack_tile(core.context(), 0, 1, 0);
  core->pack_tile(core.context(), 0, 2, 0);
  EXPECT_EQ(core.read<uint32_t>(1, 0), std::vector<uint32_t>(values.begin(), values.end()));
  EXPECT_EQ(core.read<uint16_t>(2, 0), values);
  EXPECT_THAT(failure_of([&] { core->pack_tile(core.context(), 0, 3, 0); }),
              HasSubstr("does not fit"));
}

TEST(TileMath, IntegersAreNotTakenForFloats) {
  Core core;
  core.add_buffer(0, DataFormat::UInt32);
  core.add_buffer(1, DataFormat::Float32);
  core->copy_tile(core.context(), 0, 0, 0);
  EXPECT_THAT(failure_of([&] { core->pack_tile(core.context(), 0, 1, 0); }),
              HasSubstr("cannot be packed"));
  EXPECT_THAT(failure_of([&] { core->unary_tile(core.context(), UnaryOp::kExp, 0, 0, 0); }),
              HasSubstr("integers"));
  EXPECT_THAT(
      failure_of([&] { core->binary_tiles(core.context(), BinaryOp::kAdd, 0, 0, 0, 0, 1, 0); }),
      HasSubstr("integer formats"));
  core->copy_tile(core.context(), 1, 0, 0);
  EXPECT_THAT(failure_of([&] { core->pack_tile(core.context(), 0, 0, 0); }),
              HasSubstr("cannot be packed"));
}

// What the block formats keep of a row, computed in another way.
Tile block_reference(const Tile& tile, int bits) {
  Tile result(kElements);
  for (uint32_t row = 0; row < kElements; row += 16) {
    int largest = -127;
    for (uint32_t i = row; i < row + 16; ++i) {
      if (tile[i] != 0) largest = std::max(largest, std::ilogb(tile[i]));
    }
    const double unit = std::ldexp(1.0, largest - (bits - 1));
    const double limit = (1 << bits) - 1;
    for (uint32_t i = row; i < row + 16; ++i) {
      const double magnitude = std::min(std::floor(std::abs(tile[i]) / unit + 0.5), limit);
      result[i] =
          static_cast<float>(magnitude == 0 ? 0.0 : std::copysign(magnitude * unit, tile[i]));
    }
  }
  return result;
}

class BlockFormat : public testing::TestWithParam<std::pair<DataFormat, int>> {};

TEST_P(BlockFormat, KeepsWhatFitsItsBits) {
  const auto [format, bits] = GetParam();
  Core core;
  core.add_buffer(0, DataFormat::Float32);
  core.add_buffer(1, format);
  Tile tile = random_tile(7);
  for (uint32_t i = 0; i < kElements; i += 5) tile[i] *= 0x1p-6f;
  for (uint32_t i = 32; i < 48; ++i) tile[i] = 0;
  core.write(0, 0, tile);
  core->copy_tile(core.context(), 0, 0, 0);
  core->pack_tile(core.context(), 0, 1, 1);
  core->copy_tile(core.context(), 1, 1, 1);
  EXPECT_EQ(core.dst(1), block_reference(tile, bits));
}

INSTANTIATE_TEST_SUITE_P(TileMath, BlockFormat,
                         testing::Values(std::pair{DataFormat::Bfp8_b, 7},
                                         std::pair{DataFormat::Bfp4_b, 3},
                                         std::pair{DataFormat::Bfp2_b, 1}));

TEST(TileMath, BlockFormatHasExponentsFirst) {
  Core core;
  core.add_buffer(0, DataFormat::Float32);
  core.add_buffer(1, DataFormat::Bfp8_b);
  Tile tile(kElements, 0.0f);
  tile[16] = 1.0f;
  tile[17] = -0.5f;
  core.write(0, 0, tile);
  core->copy_tile(core.context(), 0, 0, 0);
  core->pack_tile(core.context(), 0, 1, 0);
  const auto packed = core.read<uint8_t>(1, 0);
  EXPECT_EQ(packed[0], 0);
  EXPECT_EQ(packed[1], 127);
  EXPECT_EQ(packed[64 + 16], 64);
  EXPECT_EQ(packed[64 + 17], 0x80 | 32);
}

TEST(TileMath, UnsupportedFormatFails) {
  Core core;
  core.add_buffer(0, DataFormat::Bfp8);
  EXPECT_THAT(failure_of([&] { core->copy_tile(core.context(), 0, 0, 0); }),
              HasSubstr("do not support data format 2"));
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

TEST(TileMath, SmallTilesFail) {
  Core core;
  core.add_buffer(0, DataFormat::Float32);
  core.context()->cb[0].tile_bytes = 2048;
  EXPECT_THAT(failure_of([&] { core->copy_tile(core.context(), 0, 0, 0); }), HasSubstr("32x32"));
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
