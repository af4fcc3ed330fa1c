#include <cstdint>

#include "dataflow_api.h"
#include "read_tiles.h"

// The constants, gamma and beta once, then num_rows rows of x's tiles from first_row on.
void kernel_main() {
  const uint32_t x_address = get_arg_val<uint32_t>(0);
  const uint32_t gamma_address = get_arg_val<uint32_t>(1);
  const uint32_t beta_address = get_arg_val<uint32_t>(2);
  const uint32_t first_row = get_arg_val<uint32_t>(3);
  const uint32_t num_rows = get_arg_val<uint32_t>(4);
  constexpr uint32_t Wt = get_compile_time_arg_val(0);
  constexpr uint32_t one_over_width = get_compile_time_arg_val(1);
  constexpr uint32_t epsilon = get_compile_time_arg_val(2);
  constexpr uint32_t cb_x = tt::CBIndex::c_0;
  constexpr uint32_t cb_gamma = tt::CBIndex::c_1;
  constexpr uint32_t cb_beta = tt::CBIndex::c_2;
  constexpr uint32_t cb_one_over_width = tt::CBIndex::c_3;
  constexpr uint32_t cb_epsilon = tt::CBIndex::c_4;

  push_scalar(cb_one_over_width, one_over_width);
  push_scalar(cb_epsilon, epsilon);
  read_row(cb_gamma, tiles_for(cb_gamma, gamma_address), 0, Wt);
  read_row(cb_beta, tiles_for(cb_beta, beta_address), 0, Wt);
  const Tiles x = tiles_for(cb_x, x_address);
  for (uint32_t row = first_row; row < first_row + num_rows; ++row) {
    read_row(cb_x, x, row * Wt, Wt);
  }
}
