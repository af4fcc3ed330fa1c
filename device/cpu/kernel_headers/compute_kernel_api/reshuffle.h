#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

namespace ckernel {

ALWI void reshuffle_rows_tile_init() {}

// Adds each row of a tile to a row of the tile behind it. 16 bytes behind `idx_addr`, which is what
// cb_get_tile gives, stand 32 bytes: the row that each row goes to; from 32 on, it goes nowhere.
ALWI void reshuffle_rows_tile(uint32_t idst, uint32_t idx_addr) {
  using namespace lightmetal::kernel;
  const auto* rows =
      reinterpret_cast<const volatile uint8_t*>(static_cast<uintptr_t>(idx_addr)) + 16;
  const auto* from = static_cast<const float*>(dst_operand(idst, false));
  auto* to = static_cast<float*>(dst_operand(idst + 1, false));
  for (uint32_t row = 0; row < 32; ++row) {
    const uint32_t target = rows[row];
    for (uint32_t column = 0; target < 32 && column < 32; ++column)
      to[place_in_tile(target, column)] += from[place_in_tile(row, column)];
  }
}

}  // namespace ckernel
