#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <tt-metalium/bfloat16.hpp>
#include <tt-metalium/constants.hpp>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/host_api.hpp>

// What the examples on tiles of bfloat16 have in common.
namespace example {

inline constexpr uint32_t kTileBytes = tt::constants::TILE_HW * sizeof(bfloat16);

// Interleaved DRAM with one page for each tile: a mesh buffer, the same on every device of the
// mesh, or a buffer of the classic API.
std::shared_ptr<tt::tt_metal::distributed::MeshBuffer> make_tiles(
    tt::tt_metal::distributed::MeshDevice& mesh, uint32_t num_tiles);
std::shared_ptr<tt::tt_metal::Buffer> make_tiles(tt::tt_metal::IDevice* device, uint32_t num_tiles);

// Interleaved DRAM on every device of the mesh.
std::shared_ptr<tt::tt_metal::distributed::MeshBuffer> make_pages(
    tt::tt_metal::distributed::MeshDevice& mesh, size_t num_pages, size_t page_size);

// The buffer's address as kernels take it.
uint32_t address_of(const tt::tt_metal::distributed::MeshBuffer& buffer);

// A workload that runs the program on every device of the mesh.
tt::tt_metal::distributed::MeshWorkload on_all(tt::tt_metal::distributed::MeshDevice& mesh,
                                               tt::tt_metal::Program program);

// A circular buffer of two tiles of bfloat16.
void add_tile_circular_buffer(tt::tt_metal::Program& program, const CoreRangeSet& cores,
                              uint8_t index);

// A circular buffer of `num_tiles` tiles of any format, one tile per page.
void add_circular_buffer(tt::tt_metal::Program& program, const CoreRangeSet& cores, uint8_t index,
                         uint32_t num_tiles, tt::DataFormat format);

struct BinaryKernels {
  tt::tt_metal::KernelHandle reader;   // {a address, b address, first tile, tiles}
  tt::tt_metal::KernelHandle compute;  // {tiles}
  tt::tt_metal::KernelHandle writer;   // {result address, first tile, tiles}
};

// Circular buffers 0, 1 and 16 and the kernels that apply `op` ("add", "sub", "mul") to pairs of
// tiles.
BinaryKernels add_binary_kernels(tt::tt_metal::Program& program, const CoreRangeSet& cores,
                                 const std::string& op);

// Addresses of interleaved tiles in DRAM.
struct BinaryOperands {
  uint32_t a = 0;
  uint32_t b = 0;
  uint32_t result = 0;
};

// A program that applies `op` to `num_tiles` pairs of tiles over the whole grid.
tt::tt_metal::Program make_binary_program(CoreCoord grid, uint32_t num_tiles, const std::string& op,
                                          const BinaryOperands& operands);

}  // namespace example
