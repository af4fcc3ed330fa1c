#include "examples/transformer_block/weights.h"

#include <cmath>
#include <tt-metalium/constants.hpp>
#include <tt-metalium/tilize_untilize.hpp>

namespace example::transformer {
namespace {

// A stream of matrices, each from a seed of its own.
class Random {
 public:
  explicit Random(uint32_t seed) : seed_(static_cast<int>(seed)) {}

  // Uniform in [centre - spread, centre + spread).
  Matrix matrix(uint32_t rows, uint32_t columns, float spread, float centre = 0) {
    const size_t bytes = size_t{rows} * columns * sizeof(bfloat16);
    return {rows, columns,
            create_random_vector_of_bfloat16_native(bytes, 2 * spread, seed_++, centre - spread)};
  }

  // Keeps the variance of what goes through: that of uniform values is spread^2 / 3.
  LinearWeights linear(uint32_t inputs, uint32_t outputs) {
    return {.weight = matrix(inputs, outputs, std::sqrt(3.0f / static_cast<float>(inputs))),
            .bias = matrix(1, outputs, 0.1f)};
  }

  LayerNormWeights layer_norm(uint32_t width) {
    return {.gamma = matrix(1, width, 0.5f, 1.0f), .beta = matrix(1, width, 0.5f)};
  }

 private:
  int seed_;
};

LayerNormWeights tilized(LayerNormWeights weights) {
  return {transformer::tilized(std::move(weights.gamma)),
          transformer::tilized(std::move(weights.beta))};
}

LinearWeights tilized(LinearWeights weights) {
  return {transformer::tilized(std::move(weights.weight)),
          transformer::tilized(std::move(weights.bias))};
}

}  // namespace

BlockWeights make_weights(const BlockShape& shape, uint32_t seed) {
  Random random(1000 * seed);
  BlockWeights weights;
  weights.attention_norm = random.layer_norm(shape.width);
  weights.qkv = random.linear(shape.width, shape.qkv_width());
  weights.projection = random.linear(shape.width, shape.width);
  weights.mlp_norm = random.layer_norm(shape.width);
  weights.mlp_up = random.linear(shape.width, shape.mlp_width());
  weights.mlp_down = random.linear(shape.mlp_width(), shape.width);
  return weights;
}

Matrix make_input(const BlockShape& shape, uint32_t seed) {
  return Random(1000 * seed + 999).matrix(shape.tokens, shape.width, std::sqrt(3.0f));
}

Matrix tilized(Matrix matrix) {
  if (matrix.rows == 1) {
    matrix.rows = tt::constants::TILE_HEIGHT;
    matrix.values.resize(size_t{matrix.rows} * matrix.columns);
  }
  tilize(matrix.values, matrix.rows, matrix.columns);
  return matrix;
}

BlockWeights tilized(BlockWeights weights) {
  return {.attention_norm = tilized(std::move(weights.attention_norm)),
          .qkv = tilized(std::move(weights.qkv)),
          .projection = tilized(std::move(weights.projection)),
          .mlp_norm = tilized(std::move(weights.mlp_norm)),
          .mlp_up = tilized(std::move(weights.mlp_up)),
          .mlp_down = tilized(std::move(weights.mlp_down))};
}

}  // namespace example::transformer
