#include "examples/transformer_block/encoder_block.h"

#include <tt-metalium/device.hpp>

#include "examples/common/tiles.h"
#include "examples/transformer_block/attention_program.h"
#include "examples/transformer_block/layer_norm_program.h"

namespace example::transformer {

using namespace tt::tt_metal;

EncoderBlock::EncoderBlock(IDevice* device, const BlockShape& shape, const BlockWeights& weights)
    : device_(device),
      cq_(device->command_queue()),
      grid_(device->compute_with_storage_grid_size()),
      shape_(shape),
      input_(activations(shape.width)),
      normalised_(activations(shape.width)),
      qkv_(activations(shape.qkv_width())),
      attended_(activations(shape.width)),
      middle_(activations(shape.width)),
      hidden_(activations(shape.mlp_width())),
      result_(activations(shape.width)) {
  add_layer_norm(weights.attention_norm, input_, normalised_);
  add_linear(weights.qkv, normalised_, qkv_);
  add_attention(qkv_, attended_);
  add_linear(weights.projection, attended_, middle_, {.residual = input_.get()});
  add_layer_norm(weights.mlp_norm, middle_, normalised_);
  add_linear(weights.mlp_up, normalised_, hidden_, {.gelu = true});
  add_linear(weights.mlp_down, hidden_, result_, {.residual = middle_.get()});
}

EncoderBlock::~EncoderBlock() {
  if (has_trace_) ReleaseTrace(device_, trace_);
}

EncoderBlock::BufferPtr EncoderBlock::activations(uint32_t width) {
  return make_tiles(device_, tiles_in(shape_.tokens) * tiles_in(width));
}

const Buffer& EncoderBlock::parameters(const Matrix& values) {
  parameters_.push_back(make_tiles(device_, tiles_in(values.rows) * tiles_in(values.columns)));
  EnqueueWriteBuffer(cq_, parameters_.back(), values.values.data(), /*blocking=*/false);
  return *parameters_.back();
}

void EncoderBlock::add_layer_norm(const LayerNormWeights& weights, const BufferPtr& x,
                                  const BufferPtr& result) {
  programs_.push_back(make_layer_norm_program(grid_, tiles_in(shape_.tokens),
                                              tiles_in(shape_.width),
                                              {.x = *x,
                                               .gamma = parameters(weights.gamma),
                                               .beta = parameters(weights.beta),
                                               .result = *result}));
}

void EncoderBlock::add_linear(const LinearWeights& weights, const BufferPtr& x,
                              const BufferPtr& result, const LinearOptions& options) {
  const LinearShape shape = {.Mt = tiles_in(shape_.tokens),
                             .Kt = tiles_in(weights.weight.rows),
                             .Nt = tiles_in(weights.weight.columns)};
  programs_.push_back(make_linear_program(
      grid_, shape,
      {.a = *x, .b = parameters(weights.weight), .bias = parameters(weights.bias), .c = *result},
      options));
}

void EncoderBlock::add_attention(const BufferPtr& qkv, const BufferPtr& result) {
  programs_.push_back(make_attention_program(grid_, shape_, *qkv, *result));
}

void EncoderBlock::write_input(const Matrix& input) {
  EnqueueWriteBuffer(cq_, input_, input.values.data(), /*blocking=*/false);
}

void EncoderBlock::run_programs() {
  for (Program& program : programs_) EnqueueProgram(cq_, program, /*blocking=*/false);
}

void EncoderBlock::capture_trace() {
  trace_ = BeginTraceCapture(device_, cq_.id());
  run_programs();
  EndTraceCapture(device_, cq_.id(), trace_);
  has_trace_ = true;
}

void EncoderBlock::replay_trace() { ReplayTrace(device_, cq_.id(), trace_, /*blocking=*/false); }

void EncoderBlock::finish() { Finish(cq_); }

std::vector<bfloat16> EncoderBlock::read_result() {
  std::vector<bfloat16> values;
  EnqueueReadBuffer(cq_, result_, values, /*blocking=*/true);
  return values;
}

std::vector<bfloat16> run_encoder_block(IDevice* device, const BlockShape& shape,
                                        const BlockWeights& weights, const Matrix& input,
                                        uint32_t replays) {
  EncoderBlock block(device, shape, weights);
  block.write_input(input);
  block.run_programs();
  block.capture_trace();
  for (uint32_t i = 0; i < replays; ++i) block.replay_trace();
  return block.read_result();
}

}  // namespace example::transformer
