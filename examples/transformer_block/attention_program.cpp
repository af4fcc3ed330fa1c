#include "examples/transformer_block/attention_program.h"

#include <bit>
#include <cmath>
#include <string>

#include "examples/common/example.h"
#include "examples/common/tiles.h"
#include "examples/common/work.h"

namespace example::transformer {

namespace {

// Sizes in tiles.
struct Tiling {
  explicit Tiling(const BlockShape& shape)
      : tokens(tiles_in(shape.tokens)), head(tiles_in(shape.head_width())), heads(shape.heads) {}

  uint32_t tokens;
  uint32_t head;
  uint32_t heads;
};

void add_circular_buffers(Program& program, const CoreRangeSet& cores, const Tiling& tiling) {
  const auto add = [&](uint8_t index, uint32_t tiles, tt::DataFormat format) {
    add_circular_buffer(program, cores, index, tiles, format);
  };
  add(tt::CBIndex::c_0, tiling.head, tt::DataFormat::Float16_b);        // queries
  add(tt::CBIndex::c_1, 2 * tiling.head, tt::DataFormat::Float16_b);    // keys
  add(tt::CBIndex::c_2, 2 * tiling.tokens, tt::DataFormat::Float16_b);  // values
  add(tt::CBIndex::c_3, 1, tt::DataFormat::Float32);                    // one
  add(tt::CBIndex::c_24, tiling.tokens, tt::DataFormat::Float32);       // scores
  add(tt::CBIndex::c_25, 1, tt::DataFormat::Float32);  // the largest score of each row
  add(tt::CBIndex::c_26, tiling.tokens, tt::DataFormat::Float16_b);  // exponentials of the scores
  add(tt::CBIndex::c_27, 1, tt::DataFormat::Float32);                // 1 / their sum over each row
  add(tt::CBIndex::c_28, 1, tt::DataFormat::Float32);                // exponentials times values
  add(tt::CBIndex::c_16, 2, tt::DataFormat::Float16_b);              // result
}

struct AttentionKernels {
  KernelHandle reader = 0, compute = 0, writer = 0;
};

AttentionKernels add_kernels(Program& program, const CoreRangeSet& cores, const Tiling& tiling,
                             float scale) {
  const std::string folder = kernel_path("transformer_block/kernels/");
  const std::vector<uint32_t> sizes = {tiling.tokens, tiling.head, tiling.heads};
  return {
      .reader = CreateKernel(program, folder + "read_attention.cpp", cores,
                             ReaderDataMovementConfig(sizes)),
      .compute = CreateKernel(program, folder + "attention.cpp", cores,
                              ComputeConfig{.fp32_dest_acc_en = true,
                                            .compile_args = {tiling.tokens, tiling.head,
                                                             std::bit_cast<uint32_t>(scale)}}),
      .writer = CreateKernel(program, kernel_path("common/kernels/write_tiles.cpp"), cores,
                             WriterDataMovementConfig({tt::CBIndex::c_16})),
  };
}

}  // namespace

Program make_attention_program(CoreCoord grid, const BlockShape& shape, uint32_t qkv,
                               uint32_t result) {
  Program program = CreateProgram();
  const Tiling tiling(shape);
  const Work work = split_work(grid, tiling.tokens * tiling.heads);
  add_circular_buffers(program, work.cores, tiling);
  const AttentionKernels kernels = add_kernels(
      program, work.cores, tiling, 1 / std::sqrt(static_cast<float>(shape.head_width())));
  for (const auto& [core, first, count] : work.parts) {
    SetRuntimeArgs(program, kernels.reader, core, {qkv, first, count});
    SetRuntimeArgs(program, kernels.compute, core, {count});
    SetRuntimeArgs(program, kernels.writer, core,
                   {result, first * tiling.head, count * tiling.head});
  }
  return program;
}

}  // namespace example::transformer
