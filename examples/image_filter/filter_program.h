#pragma once

#include <cstdint>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/host_api.hpp>

#include "examples/image_filter/filter.h"
#include "examples/image_filter/picture.h"

// How a filter runs on the grid.
//
// A channel lies in DRAM as rows of bfloat16, one row to a page. A block of 32 results high and
// `block_tiles` tiles wide is one unit of work. For each row of the kernel, the reader reads the 32
// rows of the picture that this row of the kernel meets (rows beyond the picture are those at its
// border), and the compute kernel makes tiles of them. What a row of the kernel does along these is
// a product with a band matrix: column x of the result is the sum of columns x, x + 1, ... of the
// input times the kernel's weights. So a tile of results is the sum, over the kernel's rows, of two
// tiles of the input times the upper and the lower half of a 64 x 32 band matrix.
namespace example::image {

// Sizes of a picture on the device.
struct Tiling {
  explicit Tiling(const Picture& picture);

  uint32_t block_tiles;     // width of a unit of work
  uint32_t blocks_across;   // that cover a row
  uint32_t blocks_down;     // that cover a column
  uint32_t num_rows;        // of all channels
  uint32_t source_columns;  // of a row in DRAM: the border, the picture, the border
  uint32_t result_columns;
  uint32_t num_blocks;  // of all channels
};

// Addresses in DRAM.
struct FilterBuffers {
  uint32_t source = 0;  // rows of bfloat16
  uint32_t bands = 0;   // tiles of float
  uint32_t result = 0;  // rows of float
};

// The two halves of the band matrix of each row of each kernel, in tiles.
std::vector<float> band_tiles(const Filter& filter);

tt::tt_metal::Program make_filter_program(CoreCoord grid, const Picture& picture,
                                          const Filter& filter, const FilterBuffers& buffers);

// Does all of the device's work: buffers, writes, program, read-back.
Picture filter_on_device(tt::tt_metal::distributed::MeshDevice& mesh, const Picture& picture,
                         const Filter& filter);

}  // namespace example::image
