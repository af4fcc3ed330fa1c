#include "examples/common/tiles.h"

#include <array>
#include <tt-metalium/device.hpp>
#include <tt-metalium/util.hpp>
#include <tt-metalium/work_split.hpp>
#include <utility>

#include "examples/common/example.h"

namespace example {

std::shared_ptr<distributed::MeshBuffer> make_tiles(distributed::MeshDevice& mesh,
                                                    uint32_t num_tiles) {
  return make_pages(mesh, num_tiles, kTileBytes);
}

std::shared_ptr<distributed::MeshBuffer> make_pages(distributed::MeshDevice& mesh, size_t num_pages,
                                                    size_t page_size) {
  return distributed::MeshBuffer::create(
      distributed::ReplicatedBufferConfig{.size = num_pages * page_size},
      distributed::DeviceLocalBufferConfig{.page_size = page_size, .buffer_type = BufferType::DRAM},
      &mesh);
}

uint32_t address_of(const distributed::MeshBuffer& buffer) {
  return static_cast<uint32_t>(buffer.address());
}

distributed::MeshWorkload on_all(distributed::MeshDevice& mesh, Program program) {
  distributed::MeshWorkload workload;
  workload.add_program(distributed::MeshCoordinateRange(mesh.shape()), std::move(program));
  return workload;
}

std::shared_ptr<Buffer> make_tiles(IDevice* device, uint32_t num_tiles) {
  return CreateBuffer(InterleavedBufferConfig{.device = device,
                                              .size = size_t{num_tiles} * kTileBytes,
                                              .page_size = kTileBytes,
                                              .buffer_type = BufferType::DRAM});
}

void add_tile_circular_buffer(Program& program, const CoreRangeSet& cores, uint8_t index) {
  add_circular_buffer(program, cores, index, 2, tt::DataFormat::Float16_b);
}

void add_circular_buffer(Program& program, const CoreRangeSet& cores, uint8_t index,
                         uint32_t num_tiles, tt::DataFormat format) {
  const uint32_t page_size = tile_size(format);
  CreateCircularBuffer(program, cores,
                       CircularBufferConfig(num_tiles * page_size, {{index, format}})
                           .set_page_size(index, page_size));
}

BinaryKernels add_binary_kernels(Program& program, const CoreRangeSet& cores,
                                 const std::string& op) {
  for (const uint8_t index : {tt::CBIndex::c_0, tt::CBIndex::c_1, tt::CBIndex::c_16}) {
    add_tile_circular_buffer(program, cores, index);
  }
  const std::string folder = kernel_path("common/kernels/");
  return {
      .reader = CreateKernel(program, folder + "read_tile_pairs.cpp", cores,
                             ReaderDataMovementConfig({tt::CBIndex::c_0, tt::CBIndex::c_1})),
      .compute = CreateKernel(
          program, folder + "binary_tiles.cpp", cores,
          ComputeConfig{
              .compile_args = {tt::CBIndex::c_0, tt::CBIndex::c_1, tt::CBIndex::c_16},
              .defines = {{"TILES_INIT", op + "_tiles_init"}, {"TILES_OP", op + "_tiles"}}}),
      .writer = CreateKernel(program, folder + "write_tiles.cpp", cores,
                             WriterDataMovementConfig({tt::CBIndex::c_16})),
  };
}

Program make_binary_program(CoreCoord grid, uint32_t num_tiles, const std::string& op,
                            const BinaryOperands& operands) {
  Program program = CreateProgram();
  const auto [num_cores, all_cores, busier, others, tiles_busier, tiles_others] =
      split_work_to_cores(grid, num_tiles, /*row_wise=*/true);
  const BinaryKernels kernels = add_binary_kernels(program, all_cores, op);
  uint32_t first_tile = 0;
  for (const CoreCoord& core : grid_to_cores(num_cores, grid.x, grid.y, /*row_wise=*/true)) {
    const uint32_t tiles = busier.contains(core) ? tiles_busier : tiles_others;
    SetRuntimeArgs(program, kernels.reader, core, {operands.a, operands.b, first_tile, tiles});
    SetRuntimeArgs(program, kernels.writer, core, {operands.result, first_tile, tiles});
    SetRuntimeArgs(program, kernels.compute, core, std::array<uint32_t, 1>{tiles});
    first_tile += tiles;
  }
  return program;
}

}  // namespace example
