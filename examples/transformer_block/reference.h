#pragma once

#include <vector>

#include "examples/transformer_block/weights.h"

// The block on the host, in double precision: what the device's results are checked against.
// Matrices are row-major.
namespace example::transformer::reference {

inline constexpr double kLayerNormEpsilon = 1e-5;

// (x - mean) / sqrt(variance + epsilon) * gamma + beta, row by row.
std::vector<double> layer_norm(const std::vector<double>& x, const LayerNormWeights& weights);

// x * weight + bias.
std::vector<double> linear(const std::vector<double>& x, const LinearWeights& weights);

// x * (1 + erf(x / sqrt(2))) / 2, in place.
void gelu(std::vector<double>& x);

// softmax(Q K^T / sqrt(head width)) V for each head; `qkv` is tokens x 3 * width, the result tokens
// x width.
std::vector<double> attention(const std::vector<double>& qkv, const BlockShape& shape);

// The whole block, on an input row by row:
//   x = x + projection(attention(qkv(attention_norm(x))))
//   x = x + mlp_down(gelu(mlp_up(mlp_norm(x))))
std::vector<double> encoder_block(std::vector<double> x, const BlockWeights& weights,
                                  const BlockShape& shape);
std::vector<double> encoder_block(const Matrix& input, const BlockWeights& weights,
                                  const BlockShape& shape);

}  // namespace example::transformer::reference
