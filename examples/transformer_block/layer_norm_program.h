#pragma once

#include <tt-metalium/host_api.hpp>

namespace example::transformer {

// Interleaved tiles of bfloat16; x and result have the same shape. They outlive the program's use.
// Addresses of tiles in DRAM.
struct LayerNormOperands {
  uint32_t x = 0;
  uint32_t gamma = 0;  // of gamma and beta, the first row of the tiles counts
  uint32_t beta = 0;
  uint32_t result = 0;
};

// A program that normalises x, `Ht` rows of `Wt` tiles, row of elements by row. Rows of tiles are
// spread over the grid.
tt::tt_metal::Program make_layer_norm_program(CoreCoord grid, uint32_t Ht, uint32_t Wt,
                                              const LayerNormOperands& operands);

}  // namespace example::transformer
