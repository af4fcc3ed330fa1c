#include "tests/device/tiles/tile_calls.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"

namespace lightmetal::device::testing {
namespace {

using Op = double (*)(double, double);

double plus(double x, double y) { return x + y; }
double minus(double x, double y) { return x - y; }
double times(double x, double y) { return x * y; }

template <typename Element>
Expected each(Element element) {
  Expected expected;
  for (uint32_t row = 0; row < 32; ++row) {
    for (uint32_t column = 0; column < 32; ++column) {
      expected.set(row, column, element(row, column));
    }
  }
  return expected;
}

Reference binary(Op op) {
  return [op](const Operands& o) {
    return each([&](uint32_t r, uint32_t c) { return op(at(o.a[0], r, c), at(o.b[1], r, c)); });
  };
}

Reference by_row(Op op, uint32_t row = 0) {
  return [op, row](const Operands& o) {
    return each([&](uint32_t r, uint32_t c) { return op(at(o.a[0], r, c), at(o.b[1], row, c)); });
  };
}

Reference by_column(Op op) {
  return [op](const Operands& o) {
    return each([&](uint32_t r, uint32_t c) { return op(at(o.a[0], r, c), at(o.b[1], r, 0)); });
  };
}

Reference by_scalar(Op op) {
  return [op](const Operands& o) {
    return each([&](uint32_t r, uint32_t c) { return op(at(o.a[0], r, c), at(o.b[1], 0, 0)); });
  };
}

// The sum or difference of products with what a[1] left in DST.
Reference accumulated(Op op) {
  return [op](const Operands& o) {
    Expected expected;
    for (uint32_t r = 0; r < 32; ++r) {
      for (uint32_t c = 0; c < 32; ++c) {
        expected.add(r, c, at(o.a[1], r, c));
        expected.add(r, c, op(at(o.a[0], r, c), at(o.b[1], r, c)));
      }
    }
    return expected;
  };
}

Reference picked(std::function<double(const Tile&, uint32_t, uint32_t)> pick) {
  return [pick](const Operands& o) {
    return each([&](uint32_t r, uint32_t c) { return pick(o.a[0], r, c); });
  };
}

// Tiles `left` of a times `right` of b, summed.
Reference product(std::vector<std::pair<int, int>> tiles, bool transpose) {
  return [=](const Operands& o) {
    Expected expected;
    for (const auto& [left, right] : tiles) {
      for (uint32_t i = 0; i < 32 * 32 * 32; ++i) {
        const uint32_t r = i / 1024;
        const uint32_t c = i / 32 % 32;
        const uint32_t k = i % 32;
        const double factor = transpose ? at(o.b[right], c, k) : at(o.b[right], k, c);
        expected.add(r, c, at(o.a[left], r, k) * factor);
      }
    }
    return expected;
  };
}

// Where an element goes, and with which scale it counts, when a tile is reduced. Scalers are those
// of the first row of a face.
enum class Dim { kRow, kColumn, kScalar };

double scale_of(const Tile& scaler, Dim dim, uint32_t r, uint32_t c) {
  const double along_row = scaler[(r / 16 * 2 + c / 16) * 256 + c % 16];
  const double along_column = scaler[(r / 16 * 2 + c / 16) * 256 + r % 16];
  if (dim == Dim::kRow) return along_row;
  if (dim == Dim::kColumn) return along_column;
  return along_column * scaler[c % 16];
}

Reference sum(Dim dim, std::vector<int> tiles) {
  return [=](const Operands& o) {
    Expected expected;
    for (int tile : tiles) {
      for (uint32_t r = 0; r < 32; ++r) {
        for (uint32_t c = 0; c < 32; ++c) {
          const double term = at(o.a[tile], r, c) * scale_of(o.scaler, dim, r, c);
          expected.add(dim == Dim::kRow ? r : 0, dim == Dim::kColumn ? c : 0, term);
        }
      }
    }
    return expected;
  };
}

double power_of_two(double value) {
  return value == 0 ? 0 : std::exp2(std::floor(std::log2(std::abs(value))));
}

Reference most(Dim dim, std::vector<int> tiles) {
  return [=](const Operands& o) {
    Values largest(kTileElements, -std::numeric_limits<double>::infinity());
    Tile scaler;
    for (float value : o.scaler) scaler.push_back(static_cast<float>(power_of_two(value)));
    for (int tile : tiles) {
      for (uint32_t i = 0; i < kTileElements; ++i) {
        const uint32_t r = i / 32;
        const uint32_t c = i % 32;
        double& value = largest[in_faces(dim == Dim::kRow ? r : 0, dim == Dim::kColumn ? c : 0)];
        value = std::max(value, at(o.a[tile], r, c) * scale_of(scaler, dim, r, c));
      }
    }
    Expected expected;
    for (uint32_t i = 0; i < kTileElements; ++i) {
      if (std::isfinite(largest[i])) expected.values[i] = largest[i];
    }
    return expected;
  };
}

// ---- The table ----

std::string reduction(const std::string& pool, const std::string& dim, const std::string& tiles) {
  return absl::StrCat("reduce_init<PoolType::", pool, ", ReduceDim::REDUCE_", dim,
                      ">(0, 2, 16); const uint32_t which[] = {", tiles,
                      "}; for (uint32_t t : which) reduce_tile<PoolType::", pool,
                      ", ReduceDim::REDUCE_", dim, ">(0, 2, t, 0, 0); reduce_uninit();");
}

std::vector<Call> elementwise_calls() {
  const std::string reuse = "copy_tile_init(1); copy_tile(1, 1, 0); ";
  const auto dest = [&](const std::string& op, const std::string& source) {
    const std::string arguments =
        absl::StrCat("<EltwiseBinaryType::", op, ", EltwiseBinaryReuseDestType::", source, ">");
    return absl::StrCat(reuse, "binary_dest_reuse_tiles_init", arguments, "(0); ",
                        "binary_dest_reuse_tiles", arguments, "(0, 0, 0);");
  };
  const auto swapped_minus = [](double x, double y) { return y - x; };
  return {
      {"add_tiles_init(0, 1); add_tiles(0, 1, 0, 1, 0);", Kind::kEdges, binary(plus)},
      {"sub_tiles_init(0, 1); sub_tiles(0, 1, 0, 1, 0);", Kind::kEdges, binary(minus)},
      {"mul_tiles_init(0, 1); mul_tiles(0, 1, 0, 1, 0);", Kind::kEdges, binary(times)},
      {"copy_tile_init(0); copy_tile(0, 1, 0); add_tiles_init(0, 1, true); "
       "add_tiles(0, 1, 0, 1, 0);",
       Kind::kSum, accumulated(plus)},
      {"copy_tile_init(0); copy_tile(0, 1, 0); sub_tiles_init(0, 1, true); "
       "sub_tiles(0, 1, 0, 1, 0);",
       Kind::kSum, accumulated(minus)},
      {"copy_tile_init(0); copy_tile(0, 1, 0); mul_tiles_init(0, 1, true); "
       "mul_tiles(0, 1, 0, 1, 0);",
       Kind::kSum, accumulated(times)},
      {dest("ELWADD", "DEST_TO_SRCA"), Kind::kEdges, binary(plus)},
      {dest("ELWMUL", "DEST_TO_SRCA"), Kind::kEdges, binary(times)},
      {dest("ELWSUB", "DEST_TO_SRCA"), Kind::kEdges, binary(swapped_minus)},
      {dest("ELWADD", "DEST_TO_SRCB"), Kind::kEdges, binary(plus)},
      {dest("ELWMUL", "DEST_TO_SRCB"), Kind::kEdges, binary(times)},
      {dest("ELWSUB", "DEST_TO_SRCB"), Kind::kEdges, binary(minus)},
  };
}

std::vector<Call> broadcast_calls() {
  return {
      {"add_bcast_rows_init_short(0, 1); add_tiles_bcast_rows(0, 1, 0, 1, 0);", Kind::kEdges,
       by_row(plus)},
      {"add_bcast_cols_init_short(0, 1); add_tiles_bcast_cols(0, 1, 0, 1, 0);", Kind::kEdges,
       by_column(plus)},
      {"add_bcast_scalar_init_short(0, 1); add_tiles_bcast_scalar(0, 1, 0, 1, 0);", Kind::kEdges,
       by_scalar(plus)},
      {"sub_bcast_rows_init_short(0, 1); sub_tiles_bcast_rows(0, 1, 0, 1, 0);", Kind::kEdges,
       by_row(minus)},
      {"sub_bcast_cols_init_short(0, 1); sub_tiles_bcast_cols(0, 1, 0, 1, 0);", Kind::kEdges,
       by_column(minus)},
      {"sub_tiles_bcast_scalar_init_short(0, 1); sub_tiles_bcast_scalar(0, 1, 0, 1, 0);",
       Kind::kEdges, by_scalar(minus)},
      {"mul_bcast_rows_init_short(0, 1); mul_tiles_bcast_rows(0, 1, 0, 1, 0);", Kind::kEdges,
       by_row(times)},
      {"mul_bcast_cols_init_short(0, 1); mul_tiles_bcast_cols(0, 1, 0, 1, 0);", Kind::kEdges,
       by_column(times)},
      {"mul_tiles_bcast_scalar_init_short(0, 1); mul_tiles_bcast_scalar(0, 1, 0, 1, 0);",
       Kind::kEdges, by_scalar(times)},
      {"init_bcast<ELWADD, BroadcastType::COL>(0, 1, 16); "
       "add_tiles_bcast<BroadcastType::COL>(0, 1, 0, 1, 0);",
       Kind::kExact, by_column(plus)},
      {"init_bcast<EltwiseBinaryType::ELWSUB, BroadcastType::ROW>(0, 1); "
       "sub_tiles_bcast<BroadcastType::ROW>(0, 1, 0, 1, 0);",
       Kind::kExact, by_row(minus)},
      {"init_bcast<ELWMUL, BroadcastType::SCALAR>(0, 1, 16); "
       "mul_tiles_bcast<BroadcastType::SCALAR>(0, 1, 0, 1, 0);",
       Kind::kExact, by_scalar(times)},
      {"init_bcast<ELWSUB, BroadcastType::NONE>(0, 1, 16); "
       "any_tiles_bcast<ELWSUB, BroadcastType::NONE>(0, 1, 0, 1, 0);",
       Kind::kExact, binary(minus)},
      {"mul_tiles_bcast_rows(0, 1, 0, 1, 0, 21);", Kind::kExact, by_row(times, 21)},
      {"unary_bcast_init<BroadcastType::ROW>(0, 16); unary_bcast<BroadcastType::ROW>(0, 0, 0);",
       Kind::kEdges, picked([](const Tile& t, uint32_t, uint32_t c) { return at(t, 0, c); })},
      {"unary_bcast_init<BroadcastType::COL>(0, 16); unary_bcast<BroadcastType::COL>(0, 0, 0);",
       Kind::kEdges, picked([](const Tile& t, uint32_t r, uint32_t) { return at(t, r, 0); })},
      {"reconfigure_unary_bcast<BroadcastType::COL, BroadcastType::SCALAR>(0, 0, 16, 16); "
       "unary_bcast<BroadcastType::SCALAR>(0, 0, 0);",
       Kind::kEdges, picked([](const Tile& t, uint32_t, uint32_t) { return at(t, 0, 0); })},
      {"unary_bcast<BroadcastType::NONE>(0, 0, 0);", Kind::kEdges,
       picked([](const Tile& t, uint32_t r, uint32_t c) { return at(t, r, c); })},
  };
}

std::vector<Call> moving_calls() {
  const Reference same = picked([](const Tile& t, uint32_t r, uint32_t c) { return at(t, r, c); });
  const Reference turned =
      picked([](const Tile& t, uint32_t r, uint32_t c) { return at(t, c, r); });
  return {
      {"copy_tile_to_dst_init_short(0); copy_tile(0, 0, 0);", Kind::kEdges, same},
      {"copy_tile_to_dst_init_short_with_dt(1, 0); copy_block_matmul_partials(0, 0, 1, 2);",
       Kind::kEdges, same, 1},
      {"copy_tile_to_dst_init_short(0, 1); copy_tile(0, 0, 0); copy_tile_init(0);", Kind::kEdges,
       turned},
      {"transpose_wh_init(0, 16); transpose_wh_tile(0, 0, 3);", Kind::kEdges, turned, 3},
      {"transpose_wh_init_short(0); transpose_wh_tile(0, 0, 0);", Kind::kEdges, turned},
      {"copy_tile_init(0); copy_tile(0, 0, 0); transpose_wh_dest_init_short(); "
       "transpose_wh_dest(0);",
       Kind::kEdges, turned},
  };
}

std::vector<Call> product_calls() {
  const auto step = [](bool init, bool call, uint32_t dst, std::vector<std::pair<int, int>> tiles) {
    return Call{absl::StrCat("mm_block_init_short(0, 1, ", init,
                             ", 2, 2, 2); "
                             "for (uint32_t k = 0; k < 2; ++k) "
                             "matmul_block(0, 1, k, 2 * k, 0, ",
                             call, ", 2, 2, 2);"),
                Kind::kSum, product(tiles, init || call), dst};
  };
  return {
      {"mm_init(0, 1, 16); matmul_tiles(0, 1, 0, 1, 0, 0);", Kind::kSum, product({{0, 1}}, false)},
      {"mm_init_short(0, 1); matmul_tiles(0, 1, 0, 1, 2); matmul_tiles(0, 1, 1, 0, 2);", Kind::kSum,
       product({{0, 1}, {1, 0}}, false), 2},
      {"mm_init_short(0, 1, 1); matmul_tiles(0, 1, 0, 1, 0); mm_init_short(0, 1);", Kind::kSum,
       product({{0, 1}}, true)},
      {"mm_init_short_with_dt(0, 1, 2); matmul_tiles(0, 1, 0, 1, 0, 1);", Kind::kSum,
       product({{0, 1}}, true)},
      // [a0 a1; a2 a3] times [b0 b1; b2 b3].
      step(false, false, 0, {{0, 0}, {1, 2}}),
      step(false, false, 1, {{0, 1}, {1, 3}}),
      step(false, true, 2, {{2, 0}, {3, 2}}),
      step(true, false, 3, {{2, 1}, {3, 3}}),
  };
}

std::vector<Call> reduction_calls() {
  return {
      {reduction("SUM", "ROW", "0u"), Kind::kSum, sum(Dim::kRow, {0})},
      {reduction("SUM", "COL", "0u"), Kind::kSum, sum(Dim::kColumn, {0})},
      {reduction("SUM", "SCALAR", "0u"), Kind::kSum, sum(Dim::kScalar, {0})},
      {reduction("AVG", "ROW", "0u, 3u"), Kind::kSum, sum(Dim::kRow, {0, 3})},
      {reduction("AVG", "COL", "0u, 1u, 2u"), Kind::kSum, sum(Dim::kColumn, {0, 1, 2})},
      {reduction("AVG", "SCALAR", "1u, 2u"), Kind::kSum, sum(Dim::kScalar, {1, 2})},
      {reduction("MAX", "ROW", "0u"), Kind::kExact, most(Dim::kRow, {0})},
      {reduction("MAX", "COL", "0u, 1u"), Kind::kExact, most(Dim::kColumn, {0, 1})},
      {reduction("MAX", "SCALAR", "2u, 3u"), Kind::kExact, most(Dim::kScalar, {2, 3})},
  };
}

// The names of 2026.
std::vector<Call> calls_of_2026() {
  const Reference same = picked([](const Tile& t, uint32_t r, uint32_t c) { return at(t, r, c); });
  const Reference turned =
      picked([](const Tile& t, uint32_t r, uint32_t c) { return at(t, c, r); });
  const auto reuse = [](const std::string& op, const std::string& source) {
    const std::string type = absl::StrCat("<EltwiseBinaryReuseDestType::DEST_TO_", source, ">(0");
    return absl::StrCat("copy_init(1); copy_tile(1, 1, 0); ", op, "_reuse_dest_init", type, "); ",
                        op, "_reuse_dest_tiles", type, ", 0, 0);");
  };
  const auto swapped_minus = [](double x, double y) { return y - x; };
  const std::string reduced =
      "reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(0, 2, 16); "
      "reduce_block<PoolType::SUM, ReduceDim::REDUCE_ROW>(0, 2, 1, 0, 0, 2); reduce_uninit();";
  return {
      {"compute_kernel_hw_startup(0, 1, 16); add_init(0, 1); add_tiles(0, 1, 0, 1, 0);",
       Kind::kEdges, binary(plus)},
      {"sub_init(0, 1); sub_tiles<true>(0, 1, 0, 1, 0);", Kind::kEdges, binary(minus)},
      {"copy_init(0); copy_tile(0, 1, 0); mul_init(0, 1); mul_tiles(0, 1, 0, 1, 0);", Kind::kSum,
       accumulated(times)},
      {"copy_init(0); copy_tile(0, 1, 0); mul_init(0, 1, false); mul_tiles(0, 1, 0, 1, 0);",
       Kind::kEdges, binary(times)},
      {"add_init(0, 1); add_block(0, 1, 0, 1, 1, 2);", Kind::kEdges, binary(plus), 1},
      {"sub_init(0, 1); sub_block(0, 1, 0, 1, 0, 3);", Kind::kEdges, binary(minus)},
      {"mul_init(0, 1, false); mul_block(0, 1, 0, 1, 0, 1);", Kind::kEdges, binary(times)},
      {reuse("add", "SRCA"), Kind::kEdges, binary(plus)},
      {reuse("sub", "SRCA"), Kind::kEdges, binary(swapped_minus)},
      {reuse("sub", "SRCB"), Kind::kEdges, binary(minus)},
      {reuse("mul", "SRCB"), Kind::kEdges, binary(times)},
      {"add_bcast_rows_init(0, 1); add_tiles_bcast_rows(0, 1, 0, 1, 0);", Kind::kEdges,
       by_row(plus)},
      {"sub_bcast_cols_init(0, 1); sub_tiles_bcast_cols(0, 1, 0, 1, 0);", Kind::kEdges,
       by_column(minus)},
      {"bcast_init<ELWMUL, BroadcastType::SCALAR>(0, 1); mul_tiles_bcast_scalar(0, 1, 0, 1, 0);",
       Kind::kEdges, by_scalar(times)},
      {"reconfig_data_format<SrcOrder::Reverse>(1, 0); copy_init(0); copy_block(0, 0, 1, 2);",
       Kind::kEdges, same, 1},
      {"copy_init(0, 1); copy_tile(0, 0, 0); copy_init(0);", Kind::kEdges, turned},
      {"transpose_init(0); transpose_tile(0, 0, 1);", Kind::kEdges, turned, 1},
      {"transpose_init(0); transpose_block(0, 0, 1, 2);", Kind::kEdges, turned, 1},
      {"copy_init(0); copy_tile(0, 0, 0); transpose_dest_init(); transpose_dest(0);", Kind::kEdges,
       turned},
      {"compute_kernel_hw_startup<SrcOrder::Reverse>(0, 1, 16); matmul_init(0, 1); "
       "matmul_tiles(0, 1, 0, 1, 0);",
       Kind::kSum, product({{0, 1}}, false)},
      {"matmul_init(0, 1, 1); matmul_tiles(0, 1, 0, 1, 0); matmul_init(0, 1);", Kind::kSum,
       product({{0, 1}}, true)},
      {"matmul_block_init(0, 1, 0, 2, 2, 2); for (uint32_t k = 0; k < 2; ++k) "
       "matmul_block(0, 1, k, 2 * k, 0, 0, 2, 2, 2);",
       Kind::kSum, product({{0, 1}, {1, 3}}, false), 1},
      {reduced, Kind::kSum, sum(Dim::kRow, {1})},
      {reduced, Kind::kSum, sum(Dim::kRow, {2}), 1},
      {"reduce_block_max_row_init<3>(16); reduce_block_max_row<3>(0, 2, 1, 0); "
       "reduce_block_max_row_uninit(0);",
       Kind::kExact, most(Dim::kRow, {1, 2, 3})},
      {"reduce_block_max_row_init_runtime(16, 3, 0, 2, true); reduce_block_max_row_runtime(0, 2, "
       "1, "
       "0, true, false); reduce_block_max_row_uninit_runtime(0, true, false);",
       Kind::kExact, most(Dim::kRow, {1, 2, 3})},
      // The last initialiser says how many tiles there are.
      {"reduce_block_max_row_init_runtime(16, 1, 0, 2); reduce_block_max_row_reinit_short_runtime("
       "16, 2); reduce_block_max_row_runtime(0, 2, 1, 0); reduce_block_max_row_uninit_runtime(0);",
       Kind::kExact, most(Dim::kRow, {1, 2})},
      {"mm_no_mop_init_short(0, 1, true, 2, 2, 2); mm_no_mop_reinit_short(0, 1, false, 2, 2, 2); "
       "for (uint32_t k = 0; k < 2; ++k) matmul_block_no_mop(0, 1, k, 2 * k, 0, false, 2, 2, 2);",
       Kind::kSum, product({{0, 1}, {1, 3}}, false), 1},
      {"mm_no_mop_init_short_fidelity<MathFidelity::LoFi>(0, 1, true, 2, 2, 2); "
       "mm_no_mop_reinit_short_fidelity<MathFidelity::LoFi>(0, 1, false, 2, 2, 2); "
       "for (uint32_t k = 0; k < 2; ++k) "
       "matmul_block_no_mop_fidelity<MathFidelity::LoFi>(0, 1, k, 2 * k, 0, false, 2, 2, 2);",
       Kind::kSum, product({{0, 1}, {1, 3}}, false), 1},
      {"sub_bcast_cols_init_short_custom(0, 1, 1); sub_tiles_bcast_cols_custom(0, 1, 0, 1, 2, 1);",
       Kind::kEdges, by_column(minus), 2},
      {"tile_regs_acquire_math_clear(); llk_unpack_A_init<BroadcastType::NONE, false>(0, 1, 0); "
       "llk_math_eltwise_unary_datacopy_init<DataCopyType::A2D, DST_ACCUM_MODE>(0); "
       "copy_tile(0, 0, 0);",
       Kind::kEdges, same},
      {"llk_unpack_A_init<BroadcastType::NONE, false>(1, 1, 0); copy_tile(0, 0, 0); copy_init(0);",
       Kind::kEdges, turned},
  };
}

}  // namespace

std::vector<Call> all_calls() {
  std::vector<Call> calls;
  for (const auto& part : {elementwise_calls(), broadcast_calls(), moving_calls(), product_calls(),
                           reduction_calls(), calls_of_2026()}) {
    calls.insert(calls.end(), part.begin(), part.end());
  }
  return calls;
}

}  // namespace lightmetal::device::testing
