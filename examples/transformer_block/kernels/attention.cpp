#include <cstdint>

#include "compute_kernel_api/bcast.h"
#include "compute_kernel_api/eltwise_unary/binop_with_scalar.h"
#include "compute_kernel_api/eltwise_unary/exp.h"
#include "compute_kernel_api/eltwise_unary/recip.h"
#include "compute_kernel_api/matmul.h"
#include "tile_steps.h"

// softmax(Q K^T * scale) V for a row of query tiles of one head at a time. What there is one of for
// each query lies in the first column of a tile.
namespace NAMESPACE {

constexpr uint32_t token_tiles = get_compile_time_arg_val(0);
constexpr uint32_t head_tiles = get_compile_time_arg_val(1);
constexpr uint32_t scale = get_compile_time_arg_val(2);  // bits of a float
constexpr uint32_t cb_queries = tt::CBIndex::c_0;
constexpr uint32_t cb_keys = tt::CBIndex::c_1;
constexpr uint32_t cb_values = tt::CBIndex::c_2;
constexpr uint32_t cb_one = tt::CBIndex::c_3;
constexpr uint32_t cb_scores = tt::CBIndex::c_24;
constexpr uint32_t cb_largest = tt::CBIndex::c_25;
constexpr uint32_t cb_weights = tt::CBIndex::c_26;
constexpr uint32_t cb_inverse_sum = tt::CBIndex::c_27;
constexpr uint32_t cb_weighted = tt::CBIndex::c_28;
constexpr uint32_t cb_result = tt::CBIndex::c_16;

// Q K^T: a tile for each row of key tiles.
ALWI void compute_scores() {
  cb_wait_front(cb_queries, head_tiles);
  reconfig_data_format(cb_keys, cb_queries);
  mm_init_short(cb_queries, cb_keys, /*transpose=*/1);
  for (uint32_t row = 0; row < token_tiles; ++row) {
    cb_wait_front(cb_keys, head_tiles);
    produce_tile(cb_scores, [] {
      for (uint32_t i = 0; i < head_tiles; ++i) {
        matmul_tiles(cb_queries, cb_keys, i, i, 0, /*transpose=*/1);
      }
    });
    cb_pop_front(cb_keys, head_tiles);
  }
  cb_pop_front(cb_queries, head_tiles);
}

// exp((score - largest score of the row) * scale): no exponential is above one, whatever the
// scores.
ALWI void exponentiate() {
  produce_tile(cb_largest,
               [] { reduce_rows<PoolType::MAX>(cb_scores, cb_one, token_tiles, cb_largest); });
  cb_wait_front(cb_largest, 1);
  reconfig_data_format(cb_scores, cb_largest);
  sub_bcast_cols_init_short(cb_scores, cb_largest);
  for (uint32_t i = 0; i < token_tiles; ++i) {
    produce_tile(cb_weights, [i] {
      sub_tiles_bcast_cols(cb_scores, cb_largest, i, 0, 0);
      binop_with_scalar_tile_init();
      mul_unary_tile(0, scale);
      exp_tile_init();
      exp_tile(0);
    });
  }
  cb_pop_front(cb_largest, 1);
  cb_pop_front(cb_scores, token_tiles);
}

ALWI void invert_sum() {
  produce_tile(cb_inverse_sum, [] {
    reduce_rows<PoolType::SUM>(cb_weights, cb_one, token_tiles, cb_inverse_sum);
    recip_tile_init();
    recip_tile(0);
  });
}

// A column of tiles of weights x V, divided by the sum of the weights.
ALWI void weigh_values() {
  cb_wait_front(cb_values, token_tiles);
  reconfig_data_format(cb_values, cb_weights);
  mm_init_short(cb_weights, cb_values, /*transpose=*/0);
  produce_tile(cb_weighted, [] {
    for (uint32_t i = 0; i < token_tiles; ++i) {
      matmul_tiles(cb_weights, cb_values, i, i, 0, /*transpose=*/0);
    }
  });
  cb_pop_front(cb_values, token_tiles);

  cb_wait_front(cb_weighted, 1);
  reconfig_data_format(cb_weighted, cb_inverse_sum);
  mul_bcast_cols_init_short(cb_weighted, cb_inverse_sum);
  produce_tile(cb_result, [] { mul_tiles_bcast_cols(cb_weighted, cb_inverse_sum, 0, 0, 0); });
  cb_pop_front(cb_weighted, 1);
}

void MAIN {
  const uint32_t num_units = get_arg_val<uint32_t>(0);
  mm_init(cb_queries, cb_keys, cb_scores, /*transpose=*/1);
  for (uint32_t unit = 0; unit < num_units; ++unit) {
    compute_scores();
    exponentiate();
    invert_sum();
    cb_wait_front(cb_inverse_sum, 1);
    for (uint32_t column = 0; column < head_tiles; ++column) weigh_values();
    cb_pop_front(cb_inverse_sum, 1);
    cb_pop_front(cb_weights, token_tiles);
  }
}

}  // namespace NAMESPACE
