// Products of tiles of bfloat16: on the emulated engine everywhere, on this processor's own
// instructions where it has them.
#include "device/cpu/tiles/bfloat16_product.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "device/cpu/tiles/arithmetic.h"
#include "device/cpu/tiles/bfloat16_binary.h"
#include "device/cpu/tiles/processor.h"
#include "device/kernel_abi/lightmetal_kernel_abi_tiles.h"
#include "tests/device/tiles/tiles_test_kit.h"

namespace lightmetal::device::cpu {
namespace {

using Bits = std::vector<uint16_t>;

// Tiles for one step of a product of blocks, and a place for its sums.
struct Operands {
  Operands(uint32_t num_rows, uint32_t num_columns, bool transpose, auto make_tile)
      : rows(num_rows), columns(num_columns), transpose_right(transpose) {
    uint32_t seed = 1;
    for (uint32_t i = 0; i < rows; ++i) left.push_back(make_tile(seed++));
    for (uint32_t i = 0; i < columns; ++i) right.push_back(make_tile(seed++));
    for (uint32_t i = 0; i < rows * columns; ++i) sums.push_back(random_tile(seed++));
  }

  TileBlock block() {
    TileBlock block;
    block.rows = rows;
    block.columns = columns;
    block.transpose_right = transpose_right;
    for (uint32_t i = 0; i < rows; ++i) block.left[i] = left[i].data();
    for (uint32_t i = 0; i < columns; ++i) block.right[i] = right[i].data();
    for (uint32_t i = 0; i < rows * columns; ++i) block.sums[i] = sums[i].data();
    return block;
  }

  float left_at(uint32_t tile, uint32_t row, uint32_t k) const {
    return widened(left[tile][in_faces(row, k)]);
  }
  float right_at(uint32_t tile, uint32_t k, uint32_t column) const {
    return widened(right[tile][transpose_right ? in_faces(column, k) : in_faces(k, column)]);
  }

  uint32_t rows, columns;
  bool transpose_right;
  std::vector<Bits> left, right;
  std::vector<Tile> sums;
};

Bits random_bits(uint32_t seed) { return bfloat16s(random_tile(seed)); }

// Small integers: every order of summation gives the same, exact sum.
Bits integers(uint32_t seed) {
  Tile tile = random_tile(seed, -8, 8);
  for (float& value : tile) value = std::round(value);
  return bfloat16s(tile);
}

// As the AMX instructions are documented to sum; an element by its place in the matrices.
float engine_sum(const Operands& operands, uint32_t tile_row, uint32_t tile_column, uint32_t row,
                 uint32_t column, float before) {
  float even = 0, odd = 0;
  for (uint32_t k = 0; k < 32; k += 2) {
    even = std::fma(operands.left_at(tile_row, row, k), operands.right_at(tile_column, k, column),
                    even);
    odd = std::fma(operands.left_at(tile_row, row, k + 1),
                   operands.right_at(tile_column, k + 1, column), odd);
  }
  return before + (even + odd);
}

// Calls check(expected sums, found sums) for each tile.
template <typename Multiply, typename Reference>
void compare(Operands operands, Multiply multiply, Reference reference, double tolerance) {
  const std::vector<Tile> before = operands.sums;
  multiply(operands.block());
  for (uint32_t i = 0; i < operands.rows * operands.columns; ++i) {
    for (uint32_t element = 0; element < kElements; ++element) {
      const uint32_t row = element / 32, column = element % 32;
      const uint32_t place = in_faces(row, column);
      const double expected = reference(operands, i / operands.columns, i % operands.columns, row,
                                        column, before[i][place]);
      ASSERT_NEAR(operands.sums[i][place], expected, tolerance)
          << "tile " << i << " row " << row << " column " << column << " transposed "
          << operands.transpose_right;
    }
  }
}

double exact_sum(const Operands& operands, uint32_t tile_row, uint32_t tile_column, uint32_t row,
                 uint32_t column, float before) {
  double sum = before;
  for (uint32_t k = 0; k < 32; ++k) {
    sum += double{operands.left_at(tile_row, row, k)} *
           double{operands.right_at(tile_column, k, column)};
  }
  return sum;
}

void multiply_emulated(const TileBlock& block) {
  EmulatedTileEngine engine;
  multiply_block_on_engine(engine, block);
}

TEST(EmulatedEngine, BlocksAreSummedBitForBitAsDocumented) {
  for (const bool transpose : {false, true}) {
    compare(Operands(2, 3, transpose, random_bits), multiply_emulated, engine_sum, 0);
    compare(Operands(1, 1, transpose, random_bits), multiply_emulated, engine_sum, 0);
  }
}

TEST(EmulatedEngine, SixteenTilesAreTheMost) {
  for (const bool transpose : {false, true}) {
    compare(Operands(16, 1, transpose, random_bits), multiply_emulated, engine_sum, 0);
    compare(Operands(1, 16, transpose, random_bits), multiply_emulated, engine_sum, 0);
  }
}

TEST(EmulatedEngine, DenormalsCountAsZero) {
  Operands operands(1, 1, false, [](uint32_t) { return Bits(kElements, 0x0001); });
  operands.sums[0] = Tile(kElements, 2.0f);
  compare(
      operands, multiply_emulated, [](const auto&, auto, auto, auto, auto, float) { return 2.0; },
      0);
}

// On processors with AMX or AVX512-BF16 these are their instructions; elsewhere multiplies_bfloat16
// must say so.
TEST(ProcessorsOwnProduct, IsChosenByWhatTheProcessorHas) {
  EXPECT_EQ(multiplies_bfloat16(), has_amx_bf16() || has_avx512_bf16());
}

void multiply_here(const TileBlock& block) {
  multiplies_bfloat16() ? multiply_bfloat16(block) : multiply_emulated(block);
}

TEST(ProcessorsOwnProduct, SumsOfIntegersAreExact) {
  for (const bool transpose : {false, true}) {
    Operands operands(3, 4, transpose, integers);
    for (Tile& tile : operands.sums) tile = Tile(kElements, -5.0f);
    compare(operands, multiply_here, exact_sum, 0);
  }
}

// 32 products of at most 16 and a sum of at most 4, each rounded to 24 bits.
TEST(ProcessorsOwnProduct, SumsHaveThePrecisionOfFloats) {
  for (const bool transpose : {false, true}) {
    compare(Operands(2, 2, transpose, random_bits), multiply_here, exact_sum,
            33 * 516 * std::ldexp(1.0, -24));
  }
}

TEST(ProcessorsOwnProduct, InfinitiesAndNansStaySo) {
  Operands operands(1, 1, false, [](uint32_t) { return Bits(kElements, 0x3f80); });
  operands.left[0][in_faces(0, 5)] = 0x7f80;    // infinity
  operands.left[0][in_faces(17, 30)] = 0x7fc0;  // NaN
  operands.sums[0] = Tile(kElements, 0.0f);
  multiply_here(operands.block());
  for (uint32_t column = 0; column < 32; ++column) {
    EXPECT_EQ(operands.sums[0][in_faces(0, column)], kInfinity);
    EXPECT_TRUE(std::isnan(operands.sums[0][in_faces(17, column)]));
    EXPECT_EQ(operands.sums[0][in_faces(1, column)], 32.0f);
  }
}

std::vector<uint8_t> small_integers(uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<uint8_t> integers(kElements);
  for (uint8_t& integer : integers) integer = static_cast<uint8_t>(random() % 8);
  return integers;
}

// The service: what matmul_block gives is what as many matmul_tiles give, bit for bit.
void expect_block_equals_tiles(DataFormat format) {
  Core core;
  core.add_buffer(0, format);
  core.add_buffer(1, format);
  for (uint32_t tile = 0; tile < 8; ++tile) {
    const Tile a = random_tile(100 + tile), b = random_tile(200 + tile);
    if (format == DataFormat::Float32) {
      core.write(0, tile, a);
      core.write(1, tile, b);
    } else if (format == DataFormat::UInt8) {
      core.write(0, tile, small_integers(100 + tile));
      core.write(1, tile, small_integers(200 + tile));
    } else {
      core.write(0, tile, bfloat16s(a));
      core.write(1, tile, bfloat16s(b));
    }
  }
  constexpr uint32_t kRows = 2, kColumns = 3, kInner = 4, kOther = 6;
  for (const uint32_t transpose : {0u, 1u}) {
    core->dst_acquire(core.context());
    core->tiles->matmul_block(core.context(), 0, 1, 1, 2, 0, transpose, kColumns, kRows, kInner);
    for (uint32_t row = 0; row < kRows; ++row) {
      for (uint32_t column = 0; column < kColumns; ++column) {
        const uint32_t dst = row * kColumns + column;
        core->matmul_tiles(core.context(), 0, 1, 1 + row * kInner, 2 + column, kOther + dst,
                           transpose);
        EXPECT_EQ(core.dst(kOther + dst), core.dst(dst));
        EXPECT_NE(core.dst(dst), Tile(kElements, 0.0f));
      }
    }
  }
}

TEST(MatmulBlock, EqualsTilesOneByOneInBfloat16) {
  expect_block_equals_tiles(DataFormat::Float16_b);
}
TEST(MatmulBlock, EqualsTilesOneByOneInFloat32) { expect_block_equals_tiles(DataFormat::Float32); }
TEST(MatmulBlock, EqualsTilesOneByOneInIntegers) { expect_block_equals_tiles(DataFormat::UInt8); }

TEST(BinaryOfBfloat16, EqualsThatOfFloatsBitForBit) {
  const Bits a = random_bits(1), b = random_bits(2);
  const Tile left = widened(a), right = widened(b);
  for (const BinaryOp op : {BinaryOp::kAdd, BinaryOp::kSub, BinaryOp::kMul}) {
    for (const bool accumulate : {false, true}) {
      Tile expected = random_tile(3), found = expected;
      binary_floats(op, left.data(), right.data(), accumulate, expected.data());
      binary_bfloat16(op, a.data(), b.data(), accumulate, found.data());
      EXPECT_EQ(found, expected);
      EXPECT_NE(found, random_tile(3));
    }
  }
}

TEST(MatmulBlock, FailsBeyondTheEndOfDst) {
  Core core;
  core.add_buffer(0, DataFormat::Float16_b);
  core->dst_acquire(core.context());
  EXPECT_EQ(failure_of([&] {
              core->tiles->matmul_block(core.context(), 0, 0, 0, 0, 0, 0, 5, 4, 1);
            }).substr(0, 18),
            "DST has no tile 16");
}

}  // namespace
}  // namespace lightmetal::device::cpu
