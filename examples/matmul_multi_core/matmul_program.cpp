#include "examples/matmul_multi_core/matmul_program.h"

#include <string>
#include <tt-metalium/constants.hpp>
#include <tt-metalium/tilize_untilize.hpp>
#include <tt-metalium/work_split.hpp>

#include "examples/common/example.h"
#include "examples/common/tiles.h"

namespace example {

namespace {

// Numbers of tiles.
struct Tiles {
  explicit Tiles(const MatmulShape& shape)
      : m(shape.m / tt::constants::TILE_HEIGHT),
        n(shape.n / tt::constants::TILE_WIDTH),
        k(shape.k / tt::constants::TILE_WIDTH) {}
  uint32_t m, n, k;
};

size_t bytes(uint32_t rows, uint32_t columns) { return size_t{rows} * columns * sizeof(bfloat16); }

}  // namespace

Program make_matmul_program(CoreCoord grid, const MatmulShape& shape,
                            const BinaryOperands& operands) {
  const Tiles tiles_of(shape);
  Program program = CreateProgram();
  const auto [num_cores, all_cores, busier, others, tiles_busier, tiles_others] =
      split_work_to_cores(grid, tiles_of.m * tiles_of.n);
  for (const uint8_t index : {tt::CBIndex::c_0, tt::CBIndex::c_1, tt::CBIndex::c_16}) {
    add_tile_circular_buffer(program, all_cores, index);
  }
  const std::string folder = kernel_path("matmul_multi_core/kernels/");
  const KernelHandle reader = CreateKernel(program, folder + "reader.cpp", all_cores,
                                           ReaderDataMovementConfig({tiles_of.k, tiles_of.n}));
  const KernelHandle compute = CreateKernel(program, folder + "matmul.cpp", all_cores,
                                            ComputeConfig{.compile_args = {tiles_of.k}});
  const KernelHandle writer =
      CreateKernel(program, kernel_path("common/kernels/write_tiles.cpp"), all_cores,
                   WriterDataMovementConfig({tt::CBIndex::c_16}));

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

MatmulInputs make_matmul_inputs(const MatmulShape& shape) {
  return {.a = create_random_vector_of_bfloat16_native(bytes(shape.m, shape.k), 1.0f, 1, -0.4f),
          .b = create_random_vector_of_bfloat16_native(bytes(shape.k, shape.n), 1.0f, 2, -0.4f)};
}

MatmulInputs tilized(MatmulInputs inputs, const MatmulShape& shape) {
  tilize(inputs.a, shape.m, shape.k);
  tilize(inputs.b, shape.k, shape.n);
  return inputs;
}

std::vector<double> multiply_on_host(const MatmulInputs& inputs, const MatmulShape& shape) {
  std::vector<double> c(size_t{shape.m} * shape.n, 0.0);
  for (size_t row = 0; row < shape.m; ++row) {
    for (size_t k = 0; k < shape.k; ++k) {
      const double factor = inputs.a[row * shape.k + k].to_float();
      for (size_t column = 0; column < shape.n; ++column) {
        c[row * shape.n + column] += factor * inputs.b[k * shape.n + column].to_float();
      }
    }
  }
  return c;
}

std::vector<bfloat16> run_matmul(distributed::MeshDevice& mesh, const MatmulInputs& tiles) {
  distributed::MeshCommandQueue& cq = mesh.mesh_command_queue();
  const MatmulShape shape;
  const Tiles tiles_of(shape);
  auto a = make_tiles(mesh, tiles_of.m * tiles_of.k);
  auto b = make_tiles(mesh, tiles_of.k * tiles_of.n);
  auto c = make_tiles(mesh, tiles_of.m * tiles_of.n);
  auto workload =
      on_all(mesh, make_matmul_program(mesh.compute_with_storage_grid_size(), shape,
                                       {address_of(*a), address_of(*b), address_of(*c)}));
  distributed::EnqueueWriteMeshBuffer(cq, a, tiles.a, /*blocking=*/false);
  distributed::EnqueueWriteMeshBuffer(cq, b, tiles.b, /*blocking=*/false);
  distributed::EnqueueMeshWorkload(cq, workload, /*blocking=*/false);
  std::vector<bfloat16> c_values;
  distributed::EnqueueReadMeshBuffer(cq, c_values, c, /*blocking=*/true);
  return c_values;
}

}  // namespace example
