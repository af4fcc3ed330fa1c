#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/device/tiles/tile_program.h"

// Tiles of all shapes: every kind of operation that computes with tiles or moves them, over shapes
// and formats, against sums in double precision.
namespace lightmetal::device::testing::shapes {
namespace {

using ::testing::Combine;
using ::testing::HasSubstr;
using ::testing::ValuesIn;

constexpr char kIncludes[] = R"(
  #include "compute_kernel_api.h"
  #include "compute_kernel_api/bcast.h"
  #include "compute_kernel_api/matmul.h"
  #include "compute_kernel_api/pack_untilize.h"
  #include "compute_kernel_api/reduce.h"
  #include "compute_kernel_api/tilize.h"
  #include "compute_kernel_api/transpose_wh.h"
  #include "compute_kernel_api/untilize.h")";

constexpr TileShape kShapes[] = {{32, 32}, {16, 32}, {8, 32}, {4, 32}, {2, 32}, {1, 32},
                                 {32, 16}, {16, 16}, {8, 16}, {4, 16}, {2, 16}, {1, 16}};
constexpr DataFormat kFloats[] = {DataFormat::Float16_b, DataFormat::Float32, DataFormat::Bfp8_b,
                                  DataFormat::Bfp4_b};
constexpr DataFormat kIntegers[] = {DataFormat::Int32, DataFormat::UInt16, DataFormat::UInt8};

std::string name_of(TileShape shape, DataFormat format) {
  return absl::StrCat(shape.rows, "x", shape.columns, "Format", static_cast<int>(format));
}

// What a call must give: the sum of terms for each element, which is exact where there is one.
struct Sums {
  explicit Sums(TileShape shape) : values(shape.elements(), 0), sizes(shape.elements(), 0) {}

  void add(uint32_t place, double term) {
    values[place] += term;
    sizes[place] += std::abs(term);
  }

  std::vector<double> values;
  std::vector<double> sizes;
};

void check(const Sums& expected, const Tile& actual, const std::string& what) {
  ASSERT_EQ(actual.size(), expected.values.size()) << what;
  for (size_t i = 0; i < actual.size(); ++i) {
    ASSERT_NEAR(actual[i], expected.values[i], expected.sizes[i] * kSumTolerance)
        << what << " element " << i;
  }
}

// ---- Arithmetic ----

// Two tiles of circular buffer 0, two of 1, and a scaler in 2; all of one shape.
struct Operands {
  TileShape shape;
  Tile a[2];
  Tile b[2];
  Tile scaler;

  double left(uint32_t row, uint32_t column, int tile = 0) const {
    return a[tile][shape.place(row, column)];
  }
  double right(uint32_t row, uint32_t column) const { return b[1][shape.place(row, column)]; }
  // Of the first row of the face at an element's place.
  double scale(uint32_t row, uint32_t column, uint32_t place) const {
    return scaler[shape.face_of(row, column) * shape.face_rows() * 16 + place % 16];
  }
};

using Element = std::function<double(const Operands&, uint32_t row, uint32_t column)>;
using Reference = std::function<Sums(const Operands&)>;

Reference each(Element element) {
  return [element](const Operands& o) {
    Sums sums(o.shape);
    for (uint32_t r = 0; r < o.shape.rows; ++r) {
      for (uint32_t c = 0; c < o.shape.columns; ++c)
        sums.add(o.shape.place(r, c), element(o, r, c));
    }
    return sums;
  };
}

enum class Dim { kRow, kColumn, kScalar };

double scale_of(const Operands& o, Dim dim, uint32_t r, uint32_t c) {
  if (dim == Dim::kRow) return o.scale(r, c, c);
  return dim == Dim::kColumn ? o.scale(r, c, r) : o.scale(r, c, r) * o.scale(0, 0, c);
}

uint32_t reduced_place(const Operands& o, Dim dim, uint32_t r, uint32_t c) {
  return o.shape.place(dim == Dim::kRow ? r : 0, dim == Dim::kColumn ? c : 0);
}

Reference sum_of_both(Dim dim) {
  return [dim](const Operands& o) {
    Sums sums(o.shape);
    for (uint32_t i = 0; i < 2 * o.shape.elements(); ++i) {
      const uint32_t r = i / 2 / o.shape.columns;
      const uint32_t c = i / 2 % o.shape.columns;
      sums.add(reduced_place(o, dim, r, c),
               o.left(r, c, static_cast<int>(i % 2)) * scale_of(o, dim, r, c));
    }
    return sums;
  };
}

double power_of_two(double value) { return std::exp2(std::floor(std::log2(std::abs(value)))); }

Reference maximum(Dim dim) {
  return [dim](const Operands& o) {
    Sums sums(o.shape);
    std::vector<double> most(o.shape.elements(), -std::numeric_limits<double>::infinity());
    for (uint32_t r = 0; r < o.shape.rows; ++r) {
      for (uint32_t c = 0; c < o.shape.columns; ++c) {
        double scale = power_of_two(scale_of(o, dim, r, c));
        if (dim == Dim::kScalar)
          scale = power_of_two(o.scale(r, c, r)) * power_of_two(o.scale(0, 0, c));
        double& best = most[reduced_place(o, dim, r, c)];
        best = std::max(best, o.left(r, c) * scale);
      }
    }
    for (uint32_t i = 0; i < most.size(); ++i) {
      if (!std::isinf(most[i])) sums.add(i, most[i]);
    }
    return sums;
  };
}

struct Call {
  std::string code;  // leaves its result in tile 0 of DST
  Reference reference;
};

std::string reduce(const char* type, const char* dim, bool both) {
  const std::string call = absl::StrCat("reduce_tile<", type, ", ", dim, ">(0, 2, ");
  return absl::StrCat(call, "0, 0, 0);", both ? absl::StrCat(call, "1, 0, 0);") : "");
}

std::vector<Call> reductions() {
  std::vector<Call> calls;
  for (const auto& [dim, name] :
       {std::pair(Dim::kRow, "REDUCE_ROW"), std::pair(Dim::kColumn, "REDUCE_COL"),
        std::pair(Dim::kScalar, "REDUCE_SCALAR")}) {
    calls.push_back({reduce("SUM", name, true), sum_of_both(dim)});
    calls.push_back({reduce("MAX", name, false), maximum(dim)});
  }
  return calls;
}

std::vector<Call> elementwise() {
  return {
      {"copy_tile_init(0); copy_tile(0, 1, 0);",
       each([](auto& o, auto r, auto c) { return o.left(r, c, 1); })},
      {"add_tiles_init(0, 1); add_tiles(0, 1, 0, 1, 0);",
       each([](auto& o, auto r, auto c) { return o.left(r, c) + o.right(r, c); })},
      {"sub_tiles_init(0, 1); sub_tiles(0, 1, 0, 1, 0);",
       each([](auto& o, auto r, auto c) { return o.left(r, c) - o.right(r, c); })},
      {"copy_tile_init(0); copy_tile(0, 1, 0); mul_tiles_init(0, 1, true); mul_tiles(0, 1, 0, 1, "
       "0); mul_tiles_init(0, 1);",
       [](const Operands& o) {
         Sums sums = each([](auto& p, auto r, auto c) { return p.left(r, c, 1); })(o);
         for (uint32_t i = 0; i < o.shape.elements(); ++i)
           sums.add(i, double{o.a[0][i]} * o.b[1][i]);
         return sums;
       }},
      {"copy_tile_init(0); copy_tile(0, 0, 0); "
       "binary_dest_reuse_tiles<ELWSUB, EltwiseBinaryReuseDestType::DEST_TO_SRCB>(1, 1, 0);",
       each([](auto& o, auto r, auto c) { return o.right(r, c) - o.left(r, c); })},
      {"copy_tile_init(0); copy_tile(0, 0, 0); abs_tile_init(); abs_tile(0);",
       each([](auto& o, auto r, auto c) { return std::abs(o.left(r, c)); })},
  };
}

std::vector<Call> broadcasts() {
  return {
      {"unary_bcast<BroadcastType::COL>(0, 0, 0);",
       each([](auto& o, auto r, auto) { return o.left(r, 0); })},
      {"unary_bcast<BroadcastType::ROW>(0, 0, 0);",
       each([](auto& o, auto, auto c) { return o.left(0, c); })},
      {"unary_bcast<BroadcastType::SCALAR>(0, 0, 0);",
       each([](auto& o, auto, auto) { return o.left(0, 0); })},
      {"add_tiles_bcast_cols(0, 1, 0, 1, 0);",
       each([](auto& o, auto r, auto c) { return o.left(r, c) + o.right(r, 0); })},
      {"sub_tiles_bcast_rows(0, 1, 0, 1, 0);",
       each([](auto& o, auto r, auto c) { return o.left(r, c) - o.right(0, c); })},
      {"sub_tiles_bcast_rows(0, 1, 0, 1, 0, get_tile_hw(0) / unpack_tile_c_dim[0] - 1);",
       each([](auto& o, auto r, auto c) { return o.left(r, c) - o.right(o.shape.rows - 1, c); })},
      {"add_tiles_bcast_scalar(0, 1, 0, 1, 0);",
       each([](auto& o, auto r, auto c) { return o.left(r, c) + o.right(0, 0); })},
  };
}

std::vector<Call> calls_on_tiles() {
  std::vector<Call> calls = elementwise();
  for (auto more : {broadcasts(), reductions()})
    calls.insert(calls.end(), more.begin(), more.end());
  return calls;
}

Operands operands_of(TileShape shape) {
  Operands o{.shape = shape, .a = {}, .b = {}, .scaler = Tile(shape.elements(), 99.0f)};
  for (uint32_t i = 0; i < 2; ++i) {
    o.a[i] = random_tile(i, -4, 4, shape.elements());
    o.b[i] = random_tile(10 + i, -4, 4, shape.elements());
  }
  for (uint32_t face = 0; face < shape.elements() / (shape.face_rows() * 16); ++face) {
    for (uint32_t i = 0; i < 16; ++i) {
      const float scale = 1.0f + static_cast<float>(16 * face + i) / 64;
      o.scaler[face * shape.face_rows() * 16 + i] = i % 3 == 0 ? -scale : scale;
    }
  }
  return o;
}

class ShapedArithmetic : public ::testing::TestWithParam<std::tuple<TileShape, DataFormat>> {};

TEST_P(ShapedArithmetic, GivesWhatTheReferenceGives) {
  const auto [shape, format] = GetParam();
  const std::vector<Call> calls = calls_on_tiles();
  Operands o = operands_of(shape);
  TileProgram program;
  program.prelude(kIncludes)
      .input(0, format, {o.a[0], o.a[1]}, shape)
      .input(1, format, {o.b[0], o.b[1]}, shape)
      .input(2, DataFormat::Float32, {o.scaler}, shape)
      .output(16, DataFormat::Float32, static_cast<uint32_t>(calls.size()), shape)
      .output(17, format, static_cast<uint32_t>(calls.size()), shape);
  std::string body =
      "binary_op_init_common(0, 1, 16); cb_wait_front(0, 2); cb_wait_front(1, 2); "
      "cb_wait_front(2, 1);\n";
  for (const Call& call : calls)
    absl::StrAppend(&body, "{ tile_regs_acquire(); ", call.code,
                    " tile_regs_commit(); tile_regs_wait(); pack_tile(0, 16); pack_tile(0, 17); "
                    "tile_regs_release(); }\n");
  const absl::Status status = program.run(body);
  ASSERT_TRUE(status.ok()) << status;
  for (Tile* tile : {&o.a[0], &o.a[1], &o.b[0], &o.b[1]}) *tile = stored_as(format, *tile);
  for (uint32_t i = 0; i < calls.size(); ++i) {
    const Tile result = program.floats(16, i);
    ASSERT_NO_FATAL_FAILURE(check(calls[i].reference(o), result, calls[i].code));
    ASSERT_EQ(program.bytes(17, i), encode_tile(format, result)) << calls[i].code;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, ShapedArithmetic, Combine(ValuesIn(kShapes), ValuesIn(kFloats)),
                         [](const auto& info) {
                           return name_of(std::get<0>(info.param), std::get<1>(info.param));
                         });

class ShapedIntegers : public ::testing::TestWithParam<std::tuple<TileShape, DataFormat>> {};

// Sums of integers, and what lies in L1 already.
TEST_P(ShapedIntegers, AreCopiedAddedAndAccumulated) {
  const auto [shape, format] = GetParam();
  WordTile a = random_words(1, shape.elements()), b = random_words(2, shape.elements());
  for (WordTile* words : {&a, &b}) {
    for (uint32_t& word : *words) word %= 64;
  }
  TileProgram program;
  program.prelude(kIncludes)
      .input_words(0, format, {a}, shape)
      .input_words(1, format, {b}, shape)
      .output(16, format, 2, shape);
  const absl::Status status = program.run(R"(
    cb_wait_front(0, 1); cb_wait_front(1, 1); tile_regs_acquire();
    copy_tile_init(0); copy_tile(0, 0, 0); pack_tile<true>(0, 16, 0);
    add_tiles_init(0, 1); add_tiles(0, 1, 0, 0, 1); pack_tile<true>(1, 16, 1);
    pack_reconfig_l1_acc(1); pack_tile<true>(0, 16, 1);)");
  ASSERT_TRUE(status.ok()) << status;
  for (uint32_t i = 0; i < shape.elements(); ++i) {
    ASSERT_EQ(program.words(16, 0)[i], a[i]) << i;
    ASSERT_EQ(program.words(16, 1)[i], 2 * a[i] + b[i]) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, ShapedIntegers, Combine(ValuesIn(kShapes), ValuesIn(kIntegers)),
                         [](const auto& info) {
                           return name_of(std::get<0>(info.param), std::get<1>(info.param));
                         });

// ---- Products ----

// A left tile of MxK and a right one of KxN, which lies transposed in circular buffer 2.
struct Product {
  TileShape left;
  TileShape right;

  friend void PrintTo(const Product& product, std::ostream* out) {
    PrintTo(product.left, out);
    *out << " by ";
    PrintTo(product.right, out);
  }
};

std::vector<Product> products() {
  std::vector<Product> all;
  for (const TileShape left : kShapes) {
    for (const TileShape right : kShapes) {
      if (left.columns == right.rows) all.push_back({left, right});
    }
  }
  return all;
}

class ShapedProduct : public ::testing::TestWithParam<std::tuple<Product, DataFormat>> {};

Sums product_of(const Product& shapes, const Tile& a, const Tile& b) {
  const TileShape result{shapes.left.rows, shapes.right.columns};
  Sums sums(result);
  for (uint32_t i = 0; i < result.elements() * shapes.right.rows; ++i) {
    const uint32_t k = i % shapes.right.rows;
    const uint32_t column = i / shapes.right.rows % result.columns;
    const uint32_t row = i / shapes.right.rows / result.columns;
    sums.add(result.place(row, column),
             double{a[shapes.left.place(row, k)]} * b[shapes.right.place(k, column)]);
  }
  return sums;
}

Tile transposed(const Tile& tile, TileShape shape) {
  Tile result(tile.size());
  for (uint32_t r = 0; r < shape.rows; ++r) {
    for (uint32_t c = 0; c < shape.columns; ++c)
      result[shape.transposed().place(c, r)] = tile[shape.place(r, c)];
  }
  return result;
}

TEST_P(ShapedProduct, IsTheMatrixProduct) {
  const auto& [shapes, format] = GetParam();
  const TileShape result{shapes.left.rows, shapes.right.columns};
  const Tile a = random_tile(1, -4, 4, shapes.left.elements());
  const Tile b = random_tile(2, -4, 4, shapes.right.elements());
  const Tile b_transposed = transposed(b, shapes.right);
  TileProgram program;
  program.prelude(kIncludes)
      .input(0, format, {a}, shapes.left)
      .input(1, format, {b, b}, shapes.right)
      .input(2, format, {b_transposed}, shapes.right.transposed())
      .output(16, DataFormat::Float32, 4, result);
  const absl::Status status = program.run(R"(
    cb_wait_front(0, 1); cb_wait_front(1, 2); cb_wait_front(2, 1); tile_regs_acquire();
    mm_init(0, 1, 16); matmul_tiles(0, 1, 0, 0, 0);
    mm_block_init(0, 1, 16, 0, 2, 1, 1); matmul_block(0, 1, 0, 0, 1, 0, 2, 1, 1);
    mm_init(0, 2, 16, 1); matmul_tiles(0, 2, 0, 0, 3);
    for (uint32_t i = 0; i < 4; ++i) pack_tile(i, 16);)");
  ASSERT_TRUE(status.ok()) << status;
  const Sums expected = product_of(shapes, stored_as(format, a), stored_as(format, b));
  for (uint32_t i = 0; i < 3; ++i)
    ASSERT_NO_FATAL_FAILURE(check(expected, program.floats(16, i), absl::StrCat("product ", i)));
  const Tile right = transposed(stored_as(format, b_transposed), shapes.right.transposed());
  ASSERT_NO_FATAL_FAILURE(check(product_of(shapes, stored_as(format, a), right),
                                program.floats(16, 3), "product with the transpose"));
}

INSTANTIATE_TEST_SUITE_P(Shapes, ShapedProduct,
                         Combine(ValuesIn(products()),
                                 ::testing::Values(DataFormat::Float16_b, DataFormat::Bfp8_b)),
                         [](const auto& info) {
                           const Product& shapes = std::get<0>(info.param);
                           return absl::StrCat(name_of(shapes.left, std::get<1>(info.param)), "By",
                                               shapes.right.rows, "x", shapes.right.columns);
                         });

// ---- Moving ----

class ShapedLayout : public ::testing::TestWithParam<std::tuple<TileShape, DataFormat>> {};

constexpr uint32_t kTilesOfARow = 3;

// The rows of three tiles side by side, each element its own number.
WordTile rows_of(TileShape shape) {
  WordTile words(kTilesOfARow * shape.elements());
  for (uint32_t i = 0; i < words.size(); ++i) words[i] = i + 1;
  return words;
}

std::vector<WordTile> tiles_of(const WordTile& rows, TileShape shape) {
  std::vector<WordTile> tiles(kTilesOfARow, WordTile(shape.elements()));
  const uint32_t width = kTilesOfARow * shape.columns;
  for (uint32_t i = 0; i < rows.size(); ++i) {
    const uint32_t column = i % width;
    tiles[column / shape.columns][shape.place(i / width, column % shape.columns)] = rows[i];
  }
  return tiles;
}

WordTile flat_words(const TileProgram& program, uint8_t cb) {
  WordTile all;
  for (uint32_t i = 0; i < kTilesOfARow; ++i) {
    const WordTile words = program.words(cb, i);
    all.insert(all.end(), words.begin(), words.end());
  }
  return all;
}

TEST_P(ShapedLayout, TilesBecomeRowsAndRowsTiles) {
  const auto [shape, format] = GetParam();
  TileProgram program;
  const WordTile rows = rows_of(shape);
  const auto bytes = encode_words(format, rows);
  program.prelude(kIncludes)
      .input_bytes(0, format, bytes, shape)
      .input_words(1, format, tiles_of(rows, shape), shape);
  for (uint8_t cb : {16, 17, 18, 19, 20}) program.output(cb, format, kTilesOfARow, shape);
  const absl::Status status = program.run(R"(
    cb_wait_front(0, 3); cb_wait_front(1, 3);
    tilize_init(0, 3, 16); tilize_block(0, 3, 16); tilize_uninit(0, 16);
    fast_tilize_init(0, 3, 20); fast_tilize_block(0, 3, 20); fast_tilize_uninit(0, 20);
    untilize_init(1); untilize_block(1, 3, 17); untilize_uninit(1);
    pack_untilize_init<3>(1, 18); pack_untilize_block<3>(1, 1, 18); pack_untilize_uninit(18);
    tile_regs_acquire(); copy_tile_init(1);
    for (uint32_t i = 0; i < 3; ++i) copy_tile(1, i, i);
    pack_untilize_dest_init<3>(19); pack_untilize_dest<3>(19); pack_untilize_uninit(19);)");
  ASSERT_TRUE(status.ok()) << status;
  const std::vector<WordTile> tiles = tiles_of(decode_words(format, bytes), shape);
  for (uint32_t i = 0; i < kTilesOfARow; ++i) {
    EXPECT_EQ(program.words(16, i), tiles[i]);
    EXPECT_EQ(program.words(20, i), tiles[i]);
  }
  for (uint8_t cb : {17, 18, 19})
    EXPECT_EQ(flat_words(program, cb), decode_words(format, bytes)) << int{cb};
}

// Whether the circular buffer of the rows has been told of the tiles' shape or not.
TEST_P(ShapedLayout, RowsMayBeSaidToHaveTilesOfMoreRows) {
  const auto [shape, format] = GetParam();
  const TileShape taller{32, shape.columns};
  TileProgram program;
  const WordTile rows = rows_of(shape);
  auto bytes = encode_words(format, rows);
  const WordTile kept = decode_words(format, bytes);
  bytes.resize(bytes.size() / shape.rows * 32);
  program.prelude(kIncludes)
      .input_bytes(0, format, bytes, taller)
      .output(16, format, kTilesOfARow, shape)
      .output(17, format, kTilesOfARow, taller);
  const absl::Status status = program.run(R"(
    cb_wait_front(0, 3); tilize_init(0, 3, 16); tilize_block(0, 3, 16);
    cb_push_back(16, 3); cb_wait_front(16, 3); untilize_init(16); untilize_block(16, 3, 17);)");
  ASSERT_TRUE(status.ok()) << status;
  for (uint32_t i = 0; i < kTilesOfARow; ++i)
    EXPECT_EQ(program.words(16, i), tiles_of(kept, shape)[i]);
  WordTile back = flat_words(program, 17);
  back.resize(kept.size());
  EXPECT_EQ(back, kept);
}

TEST_P(ShapedLayout, TransposingSwapsTheSides) {
  const auto [shape, format] = GetParam();
  TileProgram program;
  const WordTile tile = random_words(4, shape.elements());
  program.prelude(kIncludes)
      .input_words(0, format, {tile}, shape)
      .output(16, format, 2, shape.transposed());
  const absl::Status status = program.run(R"(
    cb_wait_front(0, 1); tile_regs_acquire();
    transpose_wh_init(0, 16); transpose_wh_tile(0, 0, 0); pack_tile(0, 16);
    copy_tile_to_dst_init_short(0, 1); copy_tile(0, 0, 1); pack_tile(1, 16);)");
  if (shape.rows < 16) {
    EXPECT_THAT(message_of(status),
                HasSubstr(absl::StrCat("circular buffer 0: a tile of ", shape.rows, "x",
                                       shape.columns, " has no transpose")));
    return;
  }
  ASSERT_TRUE(status.ok()) << status;
  const WordTile kept = decode_words(format, encode_words(format, tile));
  for (uint32_t i = 0; i < 2 * shape.elements(); ++i) {
    const uint32_t r = i / 2 / shape.columns, c = i / 2 % shape.columns;
    ASSERT_EQ(program.words(16, i % 2)[shape.transposed().place(c, r)], kept[shape.place(r, c)]);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, ShapedLayout, Combine(ValuesIn(kShapes), ValuesIn(kIntegers)),
                         [](const auto& info) {
                           return name_of(std::get<0>(info.param), std::get<1>(info.param));
                         });

class TileShapeInKernels : public ::testing::TestWithParam<TileShape> {};

TEST_P(TileShapeInKernels, IsAConstant) {
  constexpr DataFormat kFormat = DataFormat::UInt16;
  const TileShape shape = GetParam();
  TileProgram program;
  program.prelude("#include \"api/dataflow/circular_buffer.h\"");
  program.input_words(0, kFormat, {random_words(1, shape.elements())}, shape);
  program.output(16, DataFormat::UInt32, 1);
  const absl::Status status = program.run(R"(
    constexpr uint32_t values[] = {get_tile_hw(0), static_cast<uint32_t>(get_tile_size(0)), unpack_tile_r_dim[0],
                                   pack_tile_c_dim[0], unpack_tile_num_faces[0], pack_tile_face_r_dim[0],
                                   unpack_partial_face[0], pack_narrow_tile[0], unpack_tile_r_dim[1]};
    volatile auto* words = reinterpret_cast<volatile uint32_t*>(CircularBuffer(16).get_write_ptr() << 4);
    for (uint32_t i = 0; i < 9; ++i) words[i] = values[i];)");
  ASSERT_TRUE(status.ok()) << status;
  WordTile found = program.words(16, 0);
  found.resize(9);
  EXPECT_EQ(found, (WordTile{shape.elements(), tile_bytes(kFormat, shape.elements()), shape.rows,
                             shape.columns, shape.elements() / 16 / shape.face_rows(),
                             shape.face_rows(), shape.rows < 16, shape.columns < 32, 0}));
}

INSTANTIATE_TEST_SUITE_P(Shapes, TileShapeInKernels, ValuesIn(kShapes), [](const auto& info) {
  return absl::StrCat(info.param.rows, "x", info.param.columns);
});

TEST(TileShapes, PackUntilizeTakesFacesFromTheCallOrFromTheCircularBuffer) {
  TileProgram program;
  const TileShape narrow{32, 16};
  const Tile tile = random_tile(1, -4, 4, narrow.elements());
  program.prelude(kIncludes).input(0, DataFormat::Float32, {tile}, narrow);
  for (uint8_t cb : {16, 17, 18}) program.output(cb, DataFormat::Float32, 1, narrow);
  const absl::Status status = program.run(R"(
    cb_wait_front(0, 1); tile_regs_acquire(); copy_tile_init(0); copy_tile(0, 0, 0);
    pack_untilize_dst<1>(16); pack_untilize_dst<1>(17, 1, 0, 16, 2); pack_untilize_dst<1>(18, 1, 0, 4, 1);)");
  ASSERT_TRUE(status.ok()) << status;
  for (uint32_t r = 0; r < 32; ++r) {
    for (uint32_t c = 0; c < 16; ++c) {
      ASSERT_EQ(program.floats(16, 0)[r * 16 + c], tile[narrow.place(r, c)]);
      ASSERT_EQ(program.floats(17, 0)[r * 16 + c], tile[narrow.place(r, c)]);
      if (r < 4) {
        ASSERT_EQ(program.floats(18, 0)[r * 16 + c], tile[narrow.place(r, c)]);
      }
    }
  }
  EXPECT_EQ(program.words(18, 0)[64], 0xCCCCCCCC);
}

// Each direction has its scalers, also where a tile has fewer rows than a face has columns; zeros
// for rows that are not there do no harm.
TEST(TileShapes, AWholeTileIsReducedWithTheScalersOfBothDirections) {
  const TileShape shape{4, 32};
  TileProgram program;
  Tile scaler(kTileElements, 0.0f);
  for (uint32_t i = 0; i < 16; ++i) scaler[i] = scaler[256 + i] = i < 4 ? 1.0f : 4.0f;
  scaler[9] = 0;
  program.prelude(kIncludes)
      .input_bytes(0, DataFormat::Float32,
                   encode_tile(DataFormat::Float32, Tile(shape.elements(), 1.0f)), shape)
      .input(1, DataFormat::Float32, {scaler})
      .output(16, DataFormat::Float32, 2);
  const absl::Status status = program.run(R"(
    cb_wait_front(0, 1); cb_wait_front(1, 1); tile_regs_acquire();
    unpack_tilizeA_B_block(0, 1, 1, 0, 2, 4); reduce_tile_math<PoolType::SUM, ReduceDim::REDUCE_SCALAR>(0, 2);
    unpack_tilizeA_B_block(0, 1, 1, 0, 2, 4); reduce_tile_math<PoolType::MAX, ReduceDim::REDUCE_SCALAR>(1, 2);
    pack_tile(0, 16); pack_tile(1, 16);)");
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(program.floats(16, 0)[0], 2 * 4 * (4 * 1.0f + 11 * 4.0f));
  EXPECT_EQ(program.floats(16, 1)[0], 4.0f);
}

TEST(TileShapes, RowsThatAreReducedHaveTheShapeOfTheirCircularBuffer) {
  const TileShape shape{8, 32};
  TileProgram program;
  const Tile rows = random_tile(3, -4, 4, 2 * shape.elements());
  program.prelude(kIncludes)
      .input_bytes(0, DataFormat::Float32, encode_tile(DataFormat::Float32, rows), shape)
      .input(1, DataFormat::Float32, {Tile(shape.elements(), 1.0f)}, shape)
      .output(16, DataFormat::Float32, 2, shape);
  const absl::Status status = program.run(R"(
    cb_wait_front(0, 2); cb_wait_front(1, 1); tile_regs_acquire();
    unpack_tilizeA_B_block(0, 1, 2, 0);
    for (uint32_t i = 0; i < 2; ++i) reduce_tile_math<PoolType::MAX, ReduceDim::REDUCE_COL>(i, 2);
    pack_tile(0, 16); pack_tile(1, 16);)");
  ASSERT_TRUE(status.ok()) << status;
  for (uint32_t c = 0; c < 64; ++c) {
    float most = rows[c];
    for (uint32_t r = 1; r < 8; ++r) most = std::max(most, rows[r * 64 + c]);
    EXPECT_EQ(program.floats(16, c / 32)[shape.place(0, c % 32)], most) << c;
    EXPECT_EQ(program.floats(16, c / 32)[shape.place(1, c % 32)], 0) << c;
  }
}

// ---- Together ----

TEST(TileShapes, WhatATileDoesNotHaveIsZeroInDst) {
  const TileShape small{8, 16};
  TileProgram program;
  const Tile tile = random_tile(1, 1, 4, small.elements());
  program.prelude(kIncludes)
      .input(0, DataFormat::Float32, {tile}, small)
      .output(16, DataFormat::Float32, 1);
  ASSERT_TRUE(program
                  .run("cb_wait_front(0, 1); tile_regs_acquire(); copy_tile_init(0); "
                       "copy_tile(0, 0, 0); pack_tile(0, 16);")
                  .ok());
  for (uint32_t r = 0; r < 32; ++r) {
    for (uint32_t c = 0; c < 32; ++c)
      ASSERT_EQ(program.floats(16, 0)[in_faces(r, c)],
                r < 8 && c < 16 ? tile[small.place(r, c)] : 0.0f);
  }
}

TEST(TileShapes, AReductionLeavesZerosAroundItsResults) {
  const TileShape small{8, 16};
  TileProgram program;
  const Tile tile = random_tile(1, -4, -1, small.elements());
  program.prelude(kIncludes)
      .input(0, DataFormat::Float32, {tile}, small)
      .input(1, DataFormat::Float32, {Tile(kTileElements, 1.0f)})
      .output(16, DataFormat::Float32, 2);
  ASSERT_TRUE(program
                  .run("cb_wait_front(0, 1); cb_wait_front(1, 1); tile_regs_acquire(); "
                       "reduce_tile<MAX, REDUCE_ROW>(0, 1, 0, 0, 0); pack_tile(0, 16); "
                       "reduce_tile<MAX, REDUCE_COL>(0, 1, 0, 0, 1); pack_tile(1, 16);")
                  .ok());
  for (uint32_t i = 0; i < kTileElements; ++i) {
    const uint32_t r = i / 32, c = i % 32;
    ASSERT_EQ(program.floats(16, 0)[in_faces(r, c)] < 0, c == 0 && r < 8) << r << "," << c;
    ASSERT_EQ(program.floats(16, 1)[in_faces(r, c)] < 0, r == 0 && c < 16) << r << "," << c;
  }
}

TEST(TileShapes, OperandsThatDoNotFitEachOtherAreRefused) {
  TileProgram program;
  program.prelude(kIncludes)
      .input(0, DataFormat::Float32, {Tile(512)}, {16, 32})
      .input(1, DataFormat::Float32, {Tile(1024)})
      .input(2, DataFormat::Float32, {Tile(256)}, {8, 32})
      .input(3, DataFormat::Float32, {Tile(512)}, {32, 16})
      .output(16, DataFormat::Float32, 1, {16, 32});
  const std::pair<const char*, const char*> refused[] = {
      {"add_tiles(0, 1, 0, 0, 0);", "no operation takes a tile of 16x32 and one of 32x32"},
      {"add_tiles_bcast_cols(0, 1, 0, 0, 0);",
       "a part of a tile of 32x32 is not broadcast over one of 16x32"},
      {"add_tiles_bcast_rows(0, 3, 0, 0, 0);",
       "a part of a tile of 32x16 is not broadcast over one of 16x32"},
      {"add_tiles_bcast_rows(0, 0, 0, 0, 0, 16);", "a tile has no row 16 to broadcast"},
      {"matmul_tiles(0, 0, 0, 0, 0);", "a tile of 16x32 cannot be multiplied by one of 16x32"},
      {"matmul_tiles(0, 3, 0, 0, 0, 1);",
       "a tile of 16x32 cannot be multiplied by one of 32x16, transposed"},
      {"matmul_tiles(0, 2, 0, 0, 0, 1);", "circular buffer 2: a tile of 8x32 has no transpose"},
      {"reduce_tile<SUM, REDUCE_ROW>(1, 0, 0, 0, 0);",
       "a scaler of 16x32 has not all faces of a tile of 32x32"},
      {"reduce_tile<SUM, REDUCE_ROW>(0, 3, 0, 0, 0);",
       "a scaler of 32x16 has not all faces of a tile of 16x32"},
      {"tilize_block(2, 1, 16);", "tiles of 16x32 have no place in rows of 8x32"},
      {"untilize_block(3, 1, 16);", "tiles of 32x16 have no place in rows of 16x32"},
  };
  for (const auto& [call, message] : refused) {
    EXPECT_THAT(
        message_of(program.run(absl::StrCat("for (uint32_t i = 0; i < 4; ++i) cb_wait_front(i, 1); "
                                            "tile_regs_acquire(); ",
                                            call))),
        HasSubstr(message))
        << call;
  }
}

}  // namespace
}  // namespace lightmetal::device::testing::shapes
