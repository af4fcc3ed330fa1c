#include "examples/transformer_block/encoder_block.h"

#include "examples/transformer_block/attention_program.h"
#include "examples/transformer_block/layer_norm_program.h"

namespace example::transformer {

EncoderBlock::EncoderBlock(BlockDevice& device, const BlockShape& shape,
                           const BlockWeights& weights)
    : device_(device),
      shape_(shape),
      input_(activations(shape.width)),
      normalised_(activations(shape.width)),
      qkv_(activations(shape.qkv_width())),
      attended_(activations(shape.width)),
      middle_(activations(shape.width)),
      hidden_(activations(shape.mlp_width())),
      result_(input_) {
  add_layer(weights);
}

void EncoderBlock::add_layer(const BlockWeights& weights) {
  const uint32_t x = result_;
  result_ = activations(shape_.width);
  add_layer_norm(weights.attention_norm, x, normalised_);
  add_linear(weights.qkv, normalised_, qkv_);
  device_.add(make_attention_program(device_.grid(), shape_, qkv_, attended_));
  add_linear(weights.projection, attended_, middle_, {.residual = x});
  add_layer_norm(weights.mlp_norm, middle_, normalised_);
  add_linear(weights.mlp_up, normalised_, hidden_, {.gelu = true});
  add_linear(weights.mlp_down, hidden_, result_, {.residual = middle_});
}

void EncoderBlock::bind_tensors() {
  const lightmetal::TensorDesc tensor = {.shape = {shape_.tokens, shape_.width},
                                         .type = lightmetal::TensorType::BFloat16,
                                         .order = lightmetal::TensorOrder::Tile};
  device_.bind_input("x", input_, tensor);
  device_.bind_output("y", result_, tensor);
}

uint32_t EncoderBlock::activations(uint32_t width) {
  return device_.allocate(tiles_in(shape_.tokens) * tiles_in(width));
}

uint32_t EncoderBlock::parameters(const Matrix& values) {
  const uint32_t address = device_.allocate(tiles_in(values.rows) * tiles_in(values.columns));
  device_.write(address, values.values);
  return address;
}

void EncoderBlock::add_layer_norm(const LayerNormWeights& weights, uint32_t x, uint32_t result) {
  device_.add(make_layer_norm_program(device_.grid(), tiles_in(shape_.tokens),
                                      tiles_in(shape_.width),
                                      {.x = x,
                                       .gamma = parameters(weights.gamma),
                                       .beta = parameters(weights.beta),
                                       .result = result}));
}

void EncoderBlock::add_linear(const LinearWeights& weights, uint32_t x, uint32_t result,
                              const LinearOptions& options) {
  const LinearShape shape = {.Mt = tiles_in(shape_.tokens),
                             .Kt = tiles_in(weights.weight.rows),
                             .Nt = tiles_in(weights.weight.columns)};
  device_.add(make_linear_program(
      device_.grid(), shape,
      {.a = x, .b = parameters(weights.weight), .bias = parameters(weights.bias), .c = result},
      options));
}

std::vector<bfloat16> run_encoder_block(BlockDevice& device, const BlockShape& shape,
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
