#pragma once

#include <cstdint>
#include <vector>

#include "examples/transformer_block/block_device.h"
#include "examples/transformer_block/block_shape.h"
#include "examples/transformer_block/linear_program.h"
#include "examples/transformer_block/weights.h"

namespace example::transformer {

// A pre-norm transformer encoder block on a device:
//   x = x + projection(attention(qkv(attention_norm(x))))
//   x = x + mlp_down(gelu(mlp_up(mlp_norm(x))))
// Its weights and activations lie in DRAM, as interleaved tiles of bfloat16; each step is a program
// over the grid. All matrices that it takes and gives are in tiles.
class EncoderBlock {
 public:
  // REQUIRES: the device has a trace region, outlives the block, and runs nothing but this block.
  // The weights may go when the constructor returns.
  EncoderBlock(BlockDevice& device, const BlockShape& shape, const BlockWeights& weights);

  // Puts another block behind this one, which takes its result; the result is then that of both.
  // REQUIRES: nothing has run yet.
  void add_layer(const BlockWeights& weights);

  // Names the input "x" and the result "y": a capture of the block runs with other inputs, too.
  void bind_tensors();

  // These do not wait for the device.
  void write_input(const Matrix& input) { device_.write(input_, input.values); }
  void run_programs() { device_.run(); }
  void replay_trace() { device_.replay_trace(); }

  // Records run_programs() as a device trace, once. REQUIRES: the programs have run.
  void capture_trace() { device_.capture_trace(); }

  void finish() { device_.finish(); }
  std::vector<bfloat16> read_result() { return device_.read(result_); }

 private:
  // Addresses of tiles.
  uint32_t activations(uint32_t width);
  uint32_t parameters(const Matrix& values);
  void add_layer_norm(const LayerNormWeights& weights, uint32_t x, uint32_t result);
  void add_linear(const LinearWeights& weights, uint32_t x, uint32_t result,
                  const LinearOptions& options = {});

  BlockDevice& device_;
  const BlockShape shape_;
  const uint32_t input_, normalised_, qkv_, attended_, middle_, hidden_;
  uint32_t result_;  // of the last layer; the input before there is one
};

// Does all of the device's work for one block: buffers, writes, programs, trace, `replays` replays
// of the trace, read-back. Everything is given and returned in tiles.
std::vector<bfloat16> run_encoder_block(BlockDevice& device, const BlockShape& shape,
                                        const BlockWeights& weights, const Matrix& input,
                                        uint32_t replays);

// A trace region, in bytes, with room for the trace of a block.
inline constexpr size_t kTraceRegionSize = size_t{4} << 20;

}  // namespace example::transformer
