#pragma once

#include <cstdint>
#include <tt-metalium/bfloat16.hpp>
#include <vector>

#include "examples/transformer_block/block_shape.h"

namespace example::transformer {

// A matrix, row-major, in bfloat16 as the device has it.
struct Matrix {
  uint32_t rows = 0;
  uint32_t columns = 0;
  std::vector<bfloat16> values;
};

struct LayerNormWeights {
  Matrix gamma;  // 1 x width
  Matrix beta;   // 1 x width
};

// x -> x * weight + bias.
struct LinearWeights {
  Matrix weight;  // inputs x outputs
  Matrix bias;    // 1 x outputs
};

struct BlockWeights {
  LayerNormWeights attention_norm;
  LinearWeights qkv;         // width -> 3 * width
  LinearWeights projection;  // width -> width
  LayerNormWeights mlp_norm;
  LinearWeights mlp_up;    // width -> 4 * width
  LinearWeights mlp_down;  // 4 * width -> width
};

// Equal shapes and seeds give equal values.
BlockWeights make_weights(const BlockShape& shape, uint32_t seed);
Matrix make_input(const BlockShape& shape, uint32_t seed);

// The same values in tiles, as the device wants them. A single row becomes the first row of its
// tiles, above zeros.
Matrix tilized(Matrix matrix);
BlockWeights tilized(BlockWeights weights);

}  // namespace example::transformer
