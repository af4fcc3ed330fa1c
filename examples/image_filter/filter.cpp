#include "examples/image_filter/filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <sstream>

#include "examples/common/command_line.h"

namespace example::image {
namespace {

// The outer product of binomial coefficients with themselves, an approximation of a Gaussian.
Kernel binomial_kernel(const std::vector<float>& row) {
  Kernel kernel{.size = static_cast<uint32_t>(row.size())};
  float sum = 0;
  for (const float weight : row) sum += weight;
  for (const float y : row) {
    for (const float x : row) kernel.weights.push_back(x * y / (sum * sum));
  }
  return kernel;
}

const std::map<std::string, Filter>& named_filters() {
  static const std::map<std::string, Filter>& filters = *new std::map<std::string, Filter>{
      {"blur3", {{binomial_kernel({1, 2, 1})}}},
      {"blur5", {{binomial_kernel({1, 4, 6, 4, 1})}}},
      {"sharpen", {{{3, {0, -1, 0, -1, 5, -1, 0, -1, 0}}}}},
      {"edge", {{{3, {-1, 0, 1, -2, 0, 2, -1, 0, 1}}, {3, {-1, -2, -1, 0, 0, 0, 1, 2, 1}}}}},
  };
  return filters;
}

float parse_weight(const std::string& text) {
  char* end = nullptr;
  const float value = std::strtof(text.c_str(), &end);
  if (*end == 0 && std::isfinite(value)) return value;
  throw UsageError(fmt::format(
      "expected blur3, blur5, sharpen, edge or the weights of a kernel, found \"{}\"", text));
}

std::vector<float> parse_row(std::string text) {
  std::replace(text.begin(), text.end(), ',', ' ');
  std::istringstream in(text);
  std::vector<float> row;
  for (std::string weight; in >> weight;) row.push_back(parse_weight(weight));
  return row;
}

Kernel parse_kernel(const std::string& text) {
  std::vector<std::vector<float>> rows;
  std::istringstream in(text);
  for (std::string row; std::getline(in, row, ';');) rows.push_back(parse_row(row));
  Kernel kernel{.size = static_cast<uint32_t>(rows.size())};
  if (kernel.size % 2 == 0 || kernel.size > kLargestKernel) {
    throw UsageError(fmt::format("a kernel must have an odd number of rows up to {}, not {}",
                                 kLargestKernel, kernel.size));
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].size() != rows.size()) {
      throw UsageError(fmt::format("a kernel must be square: {} rows, but row {} has {} weights",
                                   rows.size(), i + 1, rows[i].size()));
    }
    kernel.weights.insert(kernel.weights.end(), rows[i].begin(), rows[i].end());
  }
  return kernel;
}

uint32_t clamped(int64_t position, uint32_t size) {
  return static_cast<uint32_t>(std::clamp<int64_t>(position, 0, int64_t{size} - 1));
}

double apply(const Kernel& kernel, const Picture& picture, uint32_t x, uint32_t y,
             uint32_t channel) {
  double sum = 0;
  for (uint32_t j = 0; j < kernel.size; ++j) {
    const uint32_t row = clamped(int64_t{y} + j - kernel.radius(), picture.height);
    for (uint32_t i = 0; i < kernel.size; ++i) {
      const uint32_t column = clamped(int64_t{x} + i - kernel.radius(), picture.width);
      sum += double{kernel.weights[j * kernel.size + i]} * picture.sample(column, row, channel);
    }
  }
  return sum;
}

double apply(const Filter& filter, const Picture& picture, uint32_t x, uint32_t y,
             uint32_t channel) {
  const double first = apply(filter.kernels.front(), picture, x, y, channel);
  if (!filter.is_gradient()) return first;
  return std::abs(first) + std::abs(apply(filter.kernels.back(), picture, x, y, channel));
}

}  // namespace

Filter parse_filter(const std::string& text) {
  const auto found = named_filters().find(text);
  return found != named_filters().end() ? found->second : Filter{{parse_kernel(text)}};
}

Picture filter_on_host(const Picture& picture, const Filter& filter) {
  Picture result = picture;
  for (uint32_t y = 0; y < picture.height; ++y) {
    for (uint32_t x = 0; x < picture.width; ++x) {
      for (uint32_t channel = 0; channel < picture.channels; ++channel) {
        const double value = apply(filter, picture, x, y, channel);
        result.sample(x, y, channel) =
            static_cast<uint8_t>(std::lround(std::clamp(value, 0.0, double(picture.maximum))));
      }
    }
  }
  return result;
}

}  // namespace example::image
