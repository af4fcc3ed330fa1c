#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

// Scaled dot product attention in double precision.
namespace lightmetal::testing {

struct AttentionSizes {
  uint32_t batches, heads, kv_heads;
  uint32_t queries, keys;
  uint32_t width, value_width;
  double scale;
};

// `mask(batch, head, query, key)` is added to a score before it is scaled.
template <typename Mask>
std::vector<double> attention(const AttentionSizes& of, const std::vector<float>& query,
                              const std::vector<float>& key, const std::vector<float>& value,
                              const Mask& mask) {
  std::vector<double> result;
  for (uint32_t row = 0; row < of.batches * of.heads * of.queries; ++row) {
    const uint32_t head = row / of.queries, batch = head / of.heads;
    const uint32_t kv_head = head / (of.heads / of.kv_heads);
    std::vector<double> out(of.value_width);
    double sum = 0;
    for (uint32_t column = 0; column < of.keys; ++column) {
      const size_t place = static_cast<size_t>(kv_head) * of.keys + column;
      double score = mask(batch, head % of.heads, row % of.queries, column);
      for (uint32_t i = 0; i < of.width; ++i) {
        score += static_cast<double>(query[row * of.width + i]) * key[place * of.width + i];
      }
      const double weight = std::exp(score * of.scale);
      sum += weight;
      for (uint32_t i = 0; i < of.value_width; ++i) {
        out[i] += weight * value[place * of.value_width + i];
      }
    }
    for (const double element : out) result.push_back(element / sum);
  }
  return result;
}

}  // namespace lightmetal::testing
