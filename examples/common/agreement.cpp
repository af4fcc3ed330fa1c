#include "examples/common/agreement.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace example {
namespace {

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Unlike std::max, keeps a NaN.
double larger(double a, double b) { return std::isnan(a) || a >= b ? a : b; }

}  // namespace

Agreement compare(const std::vector<double>& expected, const std::vector<double>& found) {
  const double mean_expected = mean(expected), mean_found = mean(found);
  double xx = 0, yy = 0, xy = 0, error = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    const double x = expected[i] - mean_expected, y = found[i] - mean_found;
    xx += x * x, yy += y * y, xy += x * y;
    error = larger(error, std::abs(expected[i] - found[i]));
  }
  return {.pearson = xy / std::sqrt(xx * yy), .max_absolute_error = error};
}

std::vector<double> doubles(const std::vector<bfloat16>& values) {
  std::vector<double> result(values.size());
  std::transform(values.begin(), values.end(), result.begin(),
                 [](bfloat16 value) { return double{value.to_float()}; });
  return result;
}

}  // namespace example
