#pragma once

#include <tt-metalium/host_api.hpp>

namespace example::transformer {

// C = A x B + bias: the sizes, in tiles.
struct LinearShape {
  uint32_t Mt = 0;  // rows of A and C
  uint32_t Kt = 0;  // columns of A, rows of B
  uint32_t Nt = 0;  // columns of B, bias and C
};

// Interleaved tiles of bfloat16. They outlive the program's use.
// Addresses of tiles in DRAM.
struct LinearOperands {
  uint32_t a = 0;
  uint32_t b = 0;
  uint32_t bias = 0;  // the first row of its tiles counts
  uint32_t c = 0;
};

// What the program does with A x B + bias, in this order.
struct LinearOptions {
  bool gelu = false;
  uint32_t residual = 0;  // added, unless 0: the address of tiles like those of C
};

// A program that spreads blocks of a row of C's tiles over the grid.
tt::tt_metal::Program make_linear_program(CoreCoord grid, const LinearShape& shape,
                                          const LinearOperands& operands,
                                          const LinearOptions& options = {});

}  // namespace example::transformer
