#pragma once

#include <cstdint>
#include <tt-metalium/host_api.hpp>

// Programs that benchmarks measure, and whose results tests check. Buffers hold tiles of bfloat16,
// one to a page, in DRAM (example::make_tiles).
namespace lightmetal::bench {

// The sides of the matrices, in tiles.
struct MatmulShape {
  uint32_t rows = 32;
  uint32_t inner = 32;
  uint32_t columns = 32;
};

// How each core computes its part of the product: in blocks that stay in DST.
struct MatmulBlocking {
  uint32_t rows = 4;
  uint32_t columns = 4;
  uint32_t step = 1;         // of the inner dimension, in tiles, for each read
  bool block_calls = false;  // matmul_block rather than matmul_tiles
};

// c = a x b on all cores of `grid`. REQUIRES: each core has one block, each block fits into DST (16
// tiles), and the step divides the inner dimension.
tt::tt_metal::Program make_matmul_program(CoreCoord grid, const MatmulShape& shape,
                                          const MatmulBlocking& blocking,
                                          const tt::tt_metal::Buffer& a,
                                          const tt::tt_metal::Buffer& b,
                                          const tt::tt_metal::Buffer& c);

// sum = a + b over the whole grid. REQUIRES: the cores share the tiles evenly, in batches of
// `batch` tiles.
tt::tt_metal::Program make_sum_program(CoreCoord grid, uint32_t num_tiles, uint32_t batch,
                                       const tt::tt_metal::Buffer& a, const tt::tt_metal::Buffer& b,
                                       const tt::tt_metal::Buffer& sum);

// Three kernels on each core that do nothing.
tt::tt_metal::Program make_empty_program(CoreCoord grid);

}  // namespace lightmetal::bench
