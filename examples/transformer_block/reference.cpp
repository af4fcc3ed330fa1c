#include "examples/transformer_block/reference.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "examples/common/agreement.h"

namespace example::transformer::reference {
namespace {

using Values = std::vector<double>;

void normalise(double* row, size_t width) {
  const double count = static_cast<double>(width);
  const double mean = std::accumulate(row, row + width, 0.0) / count;
  double variance = 0;
  for (size_t i = 0; i < width; ++i) variance += (row[i] - mean) * (row[i] - mean) / count;
  const double factor = 1 / std::sqrt(variance + kLayerNormEpsilon);
  for (size_t i = 0; i < width; ++i) row[i] = (row[i] - mean) * factor;
}

void softmax(Values& scores) {
  const double largest = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (double& score : scores) sum += score = std::exp(score - largest);
  for (double& score : scores) score /= sum;
}

// One head of the attention of one token. `qkv` begins with the head's queries, `stride` values per
// token; keys and values are `width` and 2 * `width` values further.
void attend(const double* qkv, size_t stride, size_t token, const BlockShape& shape,
            double* result) {
  const size_t size = shape.head_width();
  const double* query = qkv + token * stride;
  Values weights(shape.tokens);
  for (size_t other = 0; other < shape.tokens; ++other) {
    const double* key = qkv + other * stride + shape.width;
    weights[other] =
        std::inner_product(query, query + size, key, 0.0) / std::sqrt(static_cast<double>(size));
  }
  softmax(weights);
  for (size_t other = 0; other < shape.tokens; ++other) {
    const double* value = qkv + other * stride + 2 * size_t{shape.width};
    for (size_t i = 0; i < size; ++i) result[i] += weights[other] * value[i];
  }
}

void add(Values& sum, const Values& values) {
  std::transform(sum.begin(), sum.end(), values.begin(), sum.begin(), std::plus<>());
}

}  // namespace

Values layer_norm(const Values& x, const LayerNormWeights& weights) {
  const size_t width = weights.gamma.columns;
  Values result = x;
  for (size_t row = 0; row < x.size(); row += width) {
    normalise(&result[row], width);
    for (size_t i = 0; i < width; ++i) {
      result[row + i] =
          result[row + i] * weights.gamma.values[i].to_float() + weights.beta.values[i].to_float();
    }
  }
  return result;
}

Values linear(const Values& x, const LinearWeights& weights) {
  const size_t inputs = weights.weight.rows, outputs = weights.weight.columns;
  const Values weight = doubles(weights.weight.values), bias = doubles(weights.bias.values);
  Values result;
  for (size_t row = 0; row < x.size() / inputs; ++row) {
    result.insert(result.end(), bias.begin(), bias.end());
    for (size_t i = 0; i < inputs; ++i) {
      const double factor = x[row * inputs + i];
      const double* from = &weight[i * outputs];
      double* to = &result[row * outputs];
      for (size_t j = 0; j < outputs; ++j) to[j] += factor * from[j];
    }
  }
  return result;
}

void gelu(Values& x) {
  for (double& value : x) value *= (1 + std::erf(value / std::sqrt(2.0))) / 2;
}

Values attention(const Values& qkv, const BlockShape& shape) {
  Values result(size_t{shape.tokens} * shape.width, 0.0);
  for (size_t token = 0; token < shape.tokens; ++token) {
    for (size_t head = 0; head < shape.heads; ++head) {
      const size_t column = head * shape.head_width();
      attend(&qkv[column], shape.qkv_width(), token, shape, &result[token * shape.width + column]);
    }
  }
  return result;
}

Values encoder_block(Values x, const BlockWeights& weights, const BlockShape& shape) {
  const Values qkv = linear(layer_norm(x, weights.attention_norm), weights.qkv);
  add(x, linear(attention(qkv, shape), weights.projection));
  Values hidden = linear(layer_norm(x, weights.mlp_norm), weights.mlp_up);
  gelu(hidden);
  add(x, linear(hidden, weights.mlp_down));
  return x;
}

Values encoder_block(const Matrix& input, const BlockWeights& weights, const BlockShape& shape) {
  return encoder_block(doubles(input.values), weights, shape);
}

}  // namespace example::transformer::reference
