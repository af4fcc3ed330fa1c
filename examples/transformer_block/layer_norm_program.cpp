#include "examples/transformer_block/layer_norm_program.h"

#include <bit>
#include <string>
#include <tt-metalium/constants.hpp>

#include "examples/common/example.h"
#include "examples/common/tiles.h"
#include "examples/common/work.h"
#include "examples/transformer_block/reference.h"

namespace example::transformer {

namespace {

void add_circular_buffers(Program& program, const CoreRangeSet& cores, uint32_t Wt) {
  const auto add = [&](uint8_t index, uint32_t tiles, tt::DataFormat format) {
    add_circular_buffer(program, cores, index, tiles, format);
  };
  add(tt::CBIndex::c_0, Wt, tt::DataFormat::Float16_b);  // x
  add(tt::CBIndex::c_1, Wt, tt::DataFormat::Float16_b);  // gamma
  add(tt::CBIndex::c_2, Wt, tt::DataFormat::Float16_b);  // beta
  add(tt::CBIndex::c_3, 1, tt::DataFormat::Float32);     // 1 / width
  add(tt::CBIndex::c_4, 1, tt::DataFormat::Float32);     // epsilon
  add(tt::CBIndex::c_24, 1, tt::DataFormat::Float32);    // mean
  add(tt::CBIndex::c_25, Wt, tt::DataFormat::Float32);   // x - mean
  add(tt::CBIndex::c_26, 1,
      tt::DataFormat::Float32);  // squares of these, summed over the tiles of a row
  add(tt::CBIndex::c_27, 1, tt::DataFormat::Float32);    // variance
  add(tt::CBIndex::c_28, 1, tt::DataFormat::Float32);    // 1 / standard deviation
  add(tt::CBIndex::c_29, 1, tt::DataFormat::Float32);    // normalised
  add(tt::CBIndex::c_30, 1, tt::DataFormat::Float32);    // normalised, times gamma
  add(tt::CBIndex::c_16, 2, tt::DataFormat::Float16_b);  // result
}

struct LayerNormKernels {
  KernelHandle reader = 0, compute = 0, writer = 0;
};

LayerNormKernels add_kernels(Program& program, const CoreRangeSet& cores, uint32_t Wt) {
  const std::string folder = kernel_path("transformer_block/kernels/");
  const float one_over_width = 1 / static_cast<float>(Wt * tt::constants::TILE_WIDTH);
  const std::vector<uint32_t> constants = {
      Wt, std::bit_cast<uint32_t>(one_over_width),
      std::bit_cast<uint32_t>(static_cast<float>(reference::kLayerNormEpsilon))};
  return {
      .reader = CreateKernel(program, folder + "read_layer_norm.cpp", cores,
                             ReaderDataMovementConfig(constants)),
      .compute = CreateKernel(program, folder + "layer_norm.cpp", cores,
                              ComputeConfig{.fp32_dest_acc_en = true, .compile_args = {Wt}}),
      .writer = CreateKernel(program, kernel_path("common/kernels/write_tiles.cpp"), cores,
                             WriterDataMovementConfig({tt::CBIndex::c_16})),
  };
}

}  // namespace

Program make_layer_norm_program(CoreCoord grid, uint32_t Ht, uint32_t Wt,
                                const LayerNormOperands& operands) {
  Program program = CreateProgram();
  const Work work = split_work(grid, Ht);
  add_circular_buffers(program, work.cores, Wt);
  const LayerNormKernels kernels = add_kernels(program, work.cores, Wt);
  for (const auto& [core, first, count] : work.parts) {
    SetRuntimeArgs(program, kernels.reader, core,
                   {operands.x, operands.gamma, operands.beta, first, count});
    SetRuntimeArgs(program, kernels.compute, core, {count});
    SetRuntimeArgs(program, kernels.writer, core, {operands.result, first * Wt, count * Wt});
  }
  return program;
}

}  // namespace example::transformer
