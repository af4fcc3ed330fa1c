#pragma once

#include <cstdint>
#include <tt-metalium/bfloat16.hpp>
#include <tt-metalium/distributed.hpp>
#include <vector>

// C = A x B, 640x640x640 in bfloat16, on every core of the grid.
namespace example {

inline constexpr uint32_t kMatmulM = 640, kMatmulN = 640, kMatmulK = 640;

// Row-major.
struct MatmulInputs {
  std::vector<bfloat16> a;  // M x K
  std::vector<bfloat16> b;  // K x N
};

MatmulInputs make_matmul_inputs();

// The same values in tiles, as the device wants them.
MatmulInputs tilized(MatmulInputs inputs);

// Does all of the device's work: buffers, writes, program, read-back. Returns C, M x N, in tiles.
std::vector<bfloat16> run_matmul(tt::tt_metal::distributed::MeshDevice& mesh,
                                 const MatmulInputs& tiles);

}  // namespace example
