#pragma once

#include <cstdint>
#include <tt-metalium/bfloat16.hpp>
#include <tt-metalium/distributed.hpp>
#include <vector>

#include "examples/common/tiles.h"

// C = A x B in bfloat16, on every core of a device's grid.
namespace example {

// Elements; all multiples of 32.
struct MatmulShape {
  uint32_t m = 640, n = 640, k = 640;
};

// Row-major.
struct MatmulInputs {
  std::vector<bfloat16> a;  // m x k
  std::vector<bfloat16> b;  // k x n
};

MatmulInputs make_matmul_inputs(const MatmulShape& shape = {});

// The same values in tiles, as the device wants them.
MatmulInputs tilized(MatmulInputs inputs, const MatmulShape& shape = {});

// C in double precision, row-major.
std::vector<double> multiply_on_host(const MatmulInputs& inputs, const MatmulShape& shape = {});

// The operands are tiles, row by row.
tt::tt_metal::Program make_matmul_program(CoreCoord grid, const MatmulShape& shape,
                                          const BinaryOperands& operands);

// Does all of the device's work: buffers, writes, program, read-back. Returns C in tiles.
std::vector<bfloat16> run_matmul(tt::tt_metal::distributed::MeshDevice& mesh,
                                 const MatmulInputs& tiles);

}  // namespace example
