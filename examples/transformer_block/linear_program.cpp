#include "examples/transformer_block/linear_program.h"

#include <algorithm>
#include <map>
#include <string>
#include <tt-metalium/device.hpp>
#include <tt-metalium/work_split.hpp>

#include "examples/common/example.h"
#include "examples/common/tiles.h"
#include "examples/common/work.h"

namespace example::transformer {

namespace {

// What a core computes at a time: a row of `columns` tiles of C, in steps of `inner` tiles of K.
struct Block {
  uint32_t columns;
  uint32_t inner;
};

// Wide blocks read A's tiles less often, narrow ones give every core some work. Four tiles in
// single precision fill a half of DST.
Block choose_block(CoreCoord grid, const LinearShape& shape) {
  const uint32_t tiles_per_core = shape.Mt * shape.Nt / (grid.x * grid.y);
  return {.columns = find_max_block_size(shape.Nt, std::clamp(tiles_per_core, 1u, 4u)),
          .inner = find_max_block_size(shape.Kt, 8)};
}

void add_circular_buffers(Program& program, const CoreRangeSet& cores, const Block& block) {
  const auto add = [&](uint8_t index, uint32_t tiles, tt::DataFormat format) {
    add_circular_buffer(program, cores, index, tiles, format);
  };
  add(tt::CBIndex::c_0, 2 * block.inner, tt::DataFormat::Float16_b);                  // A
  add(tt::CBIndex::c_1, 2 * block.inner * block.columns, tt::DataFormat::Float16_b);  // B
  add(tt::CBIndex::c_2, block.columns, tt::DataFormat::Float16_b);                    // bias
  add(tt::CBIndex::c_3, block.columns, tt::DataFormat::Float16_b);                    // residual
  add(tt::CBIndex::c_24, block.columns, tt::DataFormat::Float32);                     // A x B
  add(tt::CBIndex::c_16, 2 * block.columns, tt::DataFormat::Float16_b);               // C
}

struct LinearKernels {
  KernelHandle reader = 0, compute = 0, writer = 0;
};

LinearKernels add_kernels(Program& program, const CoreRangeSet& cores, const LinearShape& shape,
                          const Block& block, const std::map<std::string, std::string>& defines) {
  const std::string folder = kernel_path("transformer_block/kernels/");
  const std::vector<uint32_t> sizes = {shape.Kt, shape.Nt, block.columns, block.inner};
  return {
      .reader = CreateKernel(program, folder + "read_linear.cpp", cores,
                             ReaderDataMovementConfig(sizes, defines)),
      .compute = CreateKernel(
          program, folder + "linear.cpp", cores,
          ComputeConfig{.fp32_dest_acc_en = true, .compile_args = sizes, .defines = defines}),
      .writer = CreateKernel(program, kernel_path("common/kernels/write_tiles.cpp"), cores,
                             WriterDataMovementConfig({tt::CBIndex::c_16})),
  };
}

std::map<std::string, std::string> defines_for(const LinearOptions& options) {
  std::map<std::string, std::string> defines;
  if (options.gelu) defines["APPLY_GELU"] = "1";
  if (options.residual != 0) defines["ADD_RESIDUAL"] = "1";
  return defines;
}

}  // namespace

Program make_linear_program(CoreCoord grid, const LinearShape& shape,
                            const LinearOperands& operands, const LinearOptions& options) {
  Program program = CreateProgram();
  const Block block = choose_block(grid, shape);
  const Work work = split_work(grid, shape.Mt * shape.Nt / block.columns);
  add_circular_buffers(program, work.cores, block);
  const LinearKernels kernels =
      add_kernels(program, work.cores, shape, block, defines_for(options));
  for (const auto& [core, first, count] : work.parts) {
    SetRuntimeArgs(program, kernels.reader, core,
                   {operands.a, operands.b, operands.bias, options.residual, first, count});
    SetRuntimeArgs(program, kernels.compute, core, {count});
    SetRuntimeArgs(program, kernels.writer, core,
                   {operands.c, first * block.columns, count * block.columns});
  }
  return program;
}

}  // namespace example::transformer
