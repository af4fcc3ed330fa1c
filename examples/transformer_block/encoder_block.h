#pragma once

#include <cstdint>
#include <memory>
#include <tt-metalium/host_api.hpp>
#include <vector>

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
  // REQUIRES: the device has a trace region and outlives the block. The weights may go when the
  // constructor returns.
  EncoderBlock(tt::tt_metal::IDevice* device, const BlockShape& shape, const BlockWeights& weights);
  ~EncoderBlock();
  EncoderBlock(const EncoderBlock&) = delete;
  EncoderBlock& operator=(const EncoderBlock&) = delete;

  // These do not wait for the device.
  void write_input(const Matrix& input);
  void run_programs();
  void replay_trace();

  // Records run_programs() as a device trace, once. REQUIRES: the programs have run.
  void capture_trace();

  void finish();
  std::vector<bfloat16> read_result();

 private:
  using BufferPtr = std::shared_ptr<tt::tt_metal::Buffer>;

  BufferPtr activations(uint32_t width);
  const tt::tt_metal::Buffer& parameters(const Matrix& values);
  void add_layer_norm(const LayerNormWeights& weights, const BufferPtr& x, const BufferPtr& result);
  void add_linear(const LinearWeights& weights, const BufferPtr& x, const BufferPtr& result,
                  const LinearOptions& options = {});
  void add_attention(const BufferPtr& qkv, const BufferPtr& result);

  tt::tt_metal::IDevice* const device_;
  tt::tt_metal::CommandQueue& cq_;
  const CoreCoord grid_;
  const BlockShape shape_;
  std::vector<BufferPtr> parameters_;
  const BufferPtr input_, normalised_, qkv_, attended_, middle_, hidden_, result_;
  std::vector<tt::tt_metal::Program> programs_;  // in the order of the block
  uint32_t trace_ = 0;
  bool has_trace_ = false;
};

// Does all of the device's work for one block: buffers, writes, programs, trace, `replays` replays
// of the trace, read-back. Everything is given and returned in tiles.
std::vector<bfloat16> run_encoder_block(tt::tt_metal::IDevice* device, const BlockShape& shape,
                                        const BlockWeights& weights, const Matrix& input,
                                        uint32_t replays);

// A trace region, in bytes, with room for the trace of a block.
inline constexpr size_t kTraceRegionSize = size_t{4} << 20;

}  // namespace example::transformer
