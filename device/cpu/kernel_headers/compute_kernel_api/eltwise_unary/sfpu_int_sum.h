#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// Sums of whole numbers, in 32 bits that wrap. Other elements of a summed tile become 0.
namespace lightmetal::kernel {

FORCE_INLINE void sum_integers(uint32_t dst, bool down_the_columns) {
  auto* words = static_cast<uint32_t*>(dst_operand(dst, true));
  uint32_t sums[32] = {};
  for (uint32_t row = 0; row < 32; ++row) {
    for (uint32_t column = 0; column < 32; ++column)
      sums[down_the_columns ? column : row] += words[place_in_tile(row, column)];
  }
  sfpu().fill(context(), dst, 0, true);
  for (uint32_t i = 0; i < 32; ++i)
    words[down_the_columns ? place_in_tile(0, i) : place_in_tile(i, 0)] = sums[i];
}

}  // namespace lightmetal::kernel

namespace ckernel {

ALWI void sfpu_sum_int_init() {}

// Each column's sum, into the first row.
ALWI void sfpu_sum_int_col(uint32_t idst) { lightmetal::kernel::sum_integers(idst, true); }
// Each row's sum, into the first column.
ALWI void sfpu_sum_int_row(uint32_t idst) { lightmetal::kernel::sum_integers(idst, false); }

// Adds the next tile, whatever the offset is, as hardware does.
ALWI void sfpu_add_int(uint32_t idst, uint32_t /*dst_offset*/ = 2, int32_t iterations = 8) {
  if (iterations != 8) lightmetal::kernel::fail("sfpu_add_int needs 8 iterations");
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kAdd, idst, idst + 1,
                                    idst);
}

}  // namespace ckernel
