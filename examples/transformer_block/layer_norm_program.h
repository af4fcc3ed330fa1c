#pragma once

#include <tt-metalium/host_api.hpp>

namespace example::transformer {

// Interleaved tiles of bfloat16; x and result have the same shape. They outlive the program's use.
struct LayerNormBuffers {
  const tt::tt_metal::Buffer& x;
  const tt::tt_metal::Buffer& gamma;  // of gamma and beta, the first row of the tiles counts
  const tt::tt_metal::Buffer& beta;
  const tt::tt_metal::Buffer& result;
};

// A program that normalises x, `Ht` rows of `Wt` tiles, row of elements by row. Rows of tiles are
// spread over the grid.
tt::tt_metal::Program make_layer_norm_program(CoreCoord grid, uint32_t Ht, uint32_t Wt,
                                              const LayerNormBuffers& buffers);

}  // namespace example::transformer
