#include <cstdint>

#include "compute_kernel_api/bcast.h"
#include "compute_kernel_api/eltwise_binary.h"
#include "compute_kernel_api/eltwise_unary/rsqrt.h"
#include "tile_steps.h"

// (x - mean) / sqrt(variance + epsilon) * gamma + beta for each row of elements, a row of tiles at
// a time. What there is one of for each row of elements lies in the first column of a tile.
namespace NAMESPACE {

constexpr uint32_t Wt = get_compile_time_arg_val(0);
constexpr uint32_t cb_x = tt::CBIndex::c_0;
constexpr uint32_t cb_gamma = tt::CBIndex::c_1;
constexpr uint32_t cb_beta = tt::CBIndex::c_2;
constexpr uint32_t cb_one_over_width = tt::CBIndex::c_3;
constexpr uint32_t cb_epsilon = tt::CBIndex::c_4;
constexpr uint32_t cb_mean = tt::CBIndex::c_24;
constexpr uint32_t cb_centred = tt::CBIndex::c_25;
constexpr uint32_t cb_squares = tt::CBIndex::c_26;
constexpr uint32_t cb_variance = tt::CBIndex::c_27;
constexpr uint32_t cb_inverse_deviation = tt::CBIndex::c_28;
constexpr uint32_t cb_normalised = tt::CBIndex::c_29;
constexpr uint32_t cb_scaled = tt::CBIndex::c_30;
constexpr uint32_t cb_result = tt::CBIndex::c_16;

ALWI void subtract_mean() {
  produce_tile(cb_mean, [] { reduce_rows<PoolType::SUM>(cb_x, cb_one_over_width, Wt, cb_mean); });
  cb_wait_front(cb_mean, 1);
  reconfig_data_format(cb_x, cb_mean);
  sub_bcast_cols_init_short(cb_x, cb_mean);
  for (uint32_t i = 0; i < Wt; ++i) {
    produce_tile(cb_centred, [i] { sub_tiles_bcast_cols(cb_x, cb_mean, i, 0, 0); });
  }
  cb_pop_front(cb_mean, 1);
  cb_pop_front(cb_x, Wt);
}

// Squares are first added up tile by tile, so that a single tile is left to reduce.
ALWI void compute_variance() {
  cb_wait_front(cb_centred, Wt);
  reconfig_data_format(cb_centred, cb_centred);
  mul_tiles_init(cb_centred, cb_centred, /*acc_to_dest=*/true);
  produce_tile(cb_squares, [] {
    for (uint32_t i = 0; i < Wt; ++i) mul_tiles(cb_centred, cb_centred, i, i, 0);
  });
  produce_tile(cb_variance,
               [] { reduce_rows<PoolType::SUM>(cb_squares, cb_one_over_width, 1, cb_variance); });
  cb_pop_front(cb_squares, 1);
}

ALWI void invert_deviation() {
  cb_wait_front(cb_epsilon, 1);
  cb_wait_front(cb_variance, 1);
  reconfig_data_format(cb_variance, cb_epsilon);
  add_bcast_scalar_init_short(cb_variance, cb_epsilon);
  produce_tile(cb_inverse_deviation, [] {
    add_tiles_bcast_scalar(cb_variance, cb_epsilon, 0, 0, 0);
    rsqrt_tile_init();
    rsqrt_tile(0);
  });
  cb_pop_front(cb_variance, 1);
}

ALWI void normalise(uint32_t i) {
  reconfig_data_format(cb_centred, cb_inverse_deviation);
  mul_bcast_cols_init_short(cb_centred, cb_inverse_deviation);
  produce_tile(cb_normalised,
               [i] { mul_tiles_bcast_cols(cb_centred, cb_inverse_deviation, i, 0, 0); });
}

ALWI void scale(uint32_t i) {
  cb_wait_front(cb_normalised, 1);
  reconfig_data_format(cb_normalised, cb_gamma);
  mul_bcast_rows_init_short(cb_normalised, cb_gamma);
  produce_tile(cb_scaled, [i] { mul_tiles_bcast_rows(cb_normalised, cb_gamma, 0, i, 0); });
  cb_pop_front(cb_normalised, 1);
}

ALWI void shift(uint32_t i) {
  cb_wait_front(cb_scaled, 1);
  reconfig_data_format(cb_scaled, cb_beta);
  add_bcast_rows_init_short(cb_scaled, cb_beta);
  produce_tile(cb_result, [i] { add_tiles_bcast_rows(cb_scaled, cb_beta, 0, i, 0); });
  cb_pop_front(cb_scaled, 1);
}

ALWI void scale_and_shift() {
  cb_wait_front(cb_gamma, Wt);
  cb_wait_front(cb_beta, Wt);
  cb_wait_front(cb_inverse_deviation, 1);
  for (uint32_t i = 0; i < Wt; ++i) {
    normalise(i);
    scale(i);
    shift(i);
  }
  cb_pop_front(cb_inverse_deviation, 1);
  cb_pop_front(cb_centred, Wt);
}

void MAIN {
  const uint32_t num_rows = get_arg_val<uint32_t>(0);
  binary_op_init_common(cb_x, cb_one_over_width, cb_result);
  for (uint32_t row = 0; row < num_rows; ++row) {
    subtract_mean();
    compute_variance();
    invert_deviation();
    scale_and_shift();
  }
}

}  // namespace NAMESPACE
