#include "examples/matmul_multi_core/matmul_program.h"

#include <string>
#include <tt-metalium/constants.hpp>
#include <tt-metalium/tilize_untilize.hpp>
#include <tt-metalium/work_split.hpp>

#include "examples/common/example.h"
#include "examples/common/tiles.h"

namespace example {

using namespace tt;
using namespace tt::tt_metal;

namespace {

constexpr uint32_t M = kMatmulM, N = kMatmulN, K = kMatmulK;
constexpr uint32_t Mt = M / constants::TILE_HEIGHT, Nt = N / constants::TILE_WIDTH,
                   Kt = K / constants::TILE_WIDTH;

Program make_program(CoreCoord grid, const BinaryOperands& operands) {
  Program program = CreateProgram();
  const auto [num_cores, all_cores, busier, others, tiles_busier, tiles_others] =
      split_work_to_cores(grid, Mt * Nt);
  for (const uint8_t index : {CBIndex::c_0, CBIndex::c_1, CBIndex::c_16}) {
    add_tile_circular_buffer(program, all_cores, index);
  }
  const std::string folder = kernel_path("matmul_multi_core/kernels/");
  const KernelHandle reader =
      CreateKernel(program, folder + "reader.cpp", all_cores, ReaderDataMovementConfig({Kt, Nt}));
  const KernelHandle compute =
      CreateKernel(program, folder + "matmul.cpp", all_cores, ComputeConfig{.compile_args = {Kt}});
  const KernelHandle writer = CreateKernel(program, kernel_path("common/kernels/write_tiles.cpp"),
                                           all_cores, WriterDataMovementConfig({CBIndex::c_16}));

  uint32_t first_tile = 0;
  for (const CoreCoord& core : grid_to_cores(num_cores, grid.x, grid.y)) {
    const uint32_t tiles = busier.contains(core) ? tiles_busier : tiles_others;
    SetRuntimeArgs(program, reader, core, {operands.a, operands.b, first_tile, tiles});
    SetRuntimeArgs(program, compute, core, {tiles});
    SetRuntimeArgs(program, writer, core, {operands.result, first_tile, tiles});
    first_tile += tiles;
  }
  return program;
}

}  // namespace

MatmulInputs make_matmul_inputs() {
  return {.a = create_random_vector_of_bfloat16_native(M * K * sizeof(bfloat16), 1.0f, 1, -0.4f),
          .b = create_random_vector_of_bfloat16_native(K * N * sizeof(bfloat16), 1.0f, 2, -0.4f)};
}

MatmulInputs tilized(MatmulInputs inputs) {
  tilize(inputs.a, M, K);
  tilize(inputs.b, K, N);
  return inputs;
}

std::vector<bfloat16> run_matmul(distributed::MeshDevice& mesh, const MatmulInputs& tiles) {
  distributed::MeshCommandQueue& cq = mesh.mesh_command_queue();
  auto a = make_tiles(mesh, Mt * Kt);
  auto b = make_tiles(mesh, Kt * Nt);
  auto c = make_tiles(mesh, Mt * Nt);
  auto workload = on_all(mesh, make_program(mesh.compute_with_storage_grid_size(),
                                            {address_of(*a), address_of(*b), address_of(*c)}));
  distributed::EnqueueWriteMeshBuffer(cq, a, tiles.a, /*blocking=*/false);
  distributed::EnqueueWriteMeshBuffer(cq, b, tiles.b, /*blocking=*/false);
  distributed::EnqueueMeshWorkload(cq, workload, /*blocking=*/false);
  std::vector<bfloat16> c_values;
  distributed::EnqueueReadMeshBuffer(cq, c_values, c, /*blocking=*/true);
  return c_values;
}

}  // namespace example
