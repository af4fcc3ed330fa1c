#include "benchmarks/programs.h"

#include <string>
#include <tt-metalium/assert.hpp>

#include "examples/common/tiles.h"

namespace lightmetal::bench {

using tt::CBIndex;

namespace {

std::string kernel_path(const std::string& name) {
  return LIGHTMETAL_BENCHMARK_KERNELS "/" + name + ".cpp";
}

CoreRange whole(CoreCoord grid) { return {{0, 0}, {grid.x - 1, grid.y - 1}}; }

void add_circular_buffer(Program& program, const CoreRange& cores, uint8_t index, uint32_t tiles) {
  CreateCircularBuffer(
      program, cores,
      CircularBufferConfig(tiles * example::kTileBytes, {{index, tt::DataFormat::Float16_b}})
          .set_page_size(index, example::kTileBytes));
}

}  // namespace

Program make_matmul_program(CoreCoord grid, const MatmulShape& shape,
                            const MatmulBlocking& blocking, const Buffer& a, const Buffer& b,
                            const Buffer& c) {
  const auto [rows, columns, step, block_calls] = blocking;
  TT_FATAL(
      shape.rows == rows * grid.y && shape.columns == columns * grid.x && shape.inner % step == 0,
      "A grid of {}x{} cores does not share {}x{} tiles in blocks of {}x{}", grid.x, grid.y,
      shape.rows, shape.columns, rows, columns);
  Program program = CreateProgram();
  const CoreRange cores = whole(grid);
  add_circular_buffer(program, cores, CBIndex::c_0, 2 * rows * step);
  add_circular_buffer(program, cores, CBIndex::c_1, 2 * columns * step);
  add_circular_buffer(program, cores, CBIndex::c_16, rows * columns);
  const KernelHandle reader =
      CreateKernel(program, kernel_path("matmul_reader"), cores,
                   ReaderDataMovementConfig({shape.inner, shape.columns, rows, columns, step}));
  ComputeConfig compute{.dst_full_sync_en = true,
                        .compile_args = {shape.inner, rows, columns, step}};
  if (block_calls) compute.defines["MATMUL_BLOCK"] = "1";
  CreateKernel(program, kernel_path("matmul_compute"), cores, compute);
  const KernelHandle writer =
      CreateKernel(program, kernel_path("matmul_writer"), cores,
                   WriterDataMovementConfig({shape.columns, rows, columns}));
  for (const CoreCoord& core : cores) {
    const auto first_row = static_cast<uint32_t>(core.y * rows);
    const auto first_column = static_cast<uint32_t>(core.x * columns);
    SetRuntimeArgs(program, reader, core, {a.address(), b.address(), first_row, first_column});
    SetRuntimeArgs(program, writer, core, {c.address(), first_row, first_column});
  }
  return program;
}

Program make_sum_program(CoreCoord grid, uint32_t num_tiles, uint32_t batch, const Buffer& a,
                         const Buffer& b, const Buffer& sum) {
  const auto count = static_cast<uint32_t>(num_tiles / (grid.x * grid.y));
  TT_FATAL(count * grid.x * grid.y == num_tiles && count % batch == 0,
           "A grid of {}x{} cores does not share {} tiles in batches of {}", grid.x, grid.y,
           num_tiles, batch);
  Program program = CreateProgram();
  const CoreRange cores = whole(grid);
  for (const uint8_t index : {CBIndex::c_0, CBIndex::c_1, CBIndex::c_16})
    add_circular_buffer(program, cores, index, 2 * batch);
  const KernelHandle reader =
      CreateKernel(program, kernel_path("sum_reader"), cores, ReaderDataMovementConfig({batch}));
  const KernelHandle compute = CreateKernel(program, kernel_path("sum_compute"), cores,
                                            ComputeConfig{.compile_args = {batch}});
  const KernelHandle writer =
      CreateKernel(program, kernel_path("sum_writer"), cores, WriterDataMovementConfig({batch}));
  uint32_t first = 0;
  for (const CoreCoord& core : cores) {
    SetRuntimeArgs(program, reader, core, {a.address(), b.address(), first, count});
    SetRuntimeArgs(program, compute, core, {count});
    SetRuntimeArgs(program, writer, core, {sum.address(), first, count});
    first += count;
  }
  return program;
}

Program make_empty_program(CoreCoord grid) {
  constexpr char kDataMovement[] = "void kernel_main() {}";
  constexpr char kCompute[] =
      "#include \"compute_kernel_api/common.h\"\n"
      "namespace NAMESPACE { void MAIN {} }";
  Program program = CreateProgram();
  const CoreRange cores = whole(grid);
  CreateKernelFromString(program, kDataMovement, cores, ReaderDataMovementConfig());
  CreateKernelFromString(program, kDataMovement, cores, WriterDataMovementConfig());
  CreateKernelFromString(program, kCompute, cores, ComputeConfig{});
  return program;
}

}  // namespace lightmetal::bench
