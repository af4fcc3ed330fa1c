// C = A x B, 640x640x640 in bfloat16, on every core of the grid; checked against a host product in
// double precision. Usage: matmul_multi_core [--capture FILE]
#include <cmath>
#include <cstdint>
#include <iostream>
#include <tt-metalium/bfloat16.hpp>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/tilize_untilize.hpp>
#include <vector>

#include "examples/common/example.h"
#include "examples/matmul_multi_core/matmul_program.h"

using namespace tt::tt_metal;

namespace {

using namespace example;

constexpr uint32_t M = kMatmulM, N = kMatmulN, K = kMatmulK;

std::vector<double> multiply_on_host(const std::vector<bfloat16>& a,
                                     const std::vector<bfloat16>& b) {
  std::vector<double> c(size_t{M} * N, 0.0);
  for (uint32_t row = 0; row < M; ++row) {
    for (uint32_t k = 0; k < K; ++k) {
      const double factor = a[row * K + k].to_float();
      for (uint32_t column = 0; column < N; ++column) {
        c[row * N + column] += factor * b[k * N + column].to_float();
      }
    }
  }
  return c;
}

struct Agreement {
  double pearson = 0;
  double max_relative_error = 0;  // the largest difference over the largest expected magnitude
};

Agreement compare(const std::vector<double>& expected, const std::vector<bfloat16>& found) {
  const double count = static_cast<double>(expected.size());
  double mean_x = 0, mean_y = 0, largest = 0, difference = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    mean_x += expected[i] / count;
    mean_y += found[i].to_float() / count;
    largest = std::max(largest, std::abs(expected[i]));
    difference = std::max(difference, std::abs(expected[i] - found[i].to_float()));
  }
  double xx = 0, yy = 0, xy = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    const double x = expected[i] - mean_x, y = found[i].to_float() - mean_y;
    xx += x * x, yy += y * y, xy += x * y;
  }
  return {xy / std::sqrt(xx * yy), difference / largest};
}

int run() {
  const MatmulInputs inputs = make_matmul_inputs();
  const std::vector<double> expected = multiply_on_host(inputs.a, inputs.b);
  auto mesh = distributed::MeshDevice::create_unit_mesh(0);
  std::vector<bfloat16> found = run_matmul(*mesh, tilized(inputs));
  mesh->close();
  untilize(found, M, N);

  const Agreement agreement = compare(expected, found);
  std::cout << "matmul_multi_core: " << M << "x" << N << "x" << K << ", Pearson correlation "
            << agreement.pearson << ", max relative error " << agreement.max_relative_error << "\n";
  return agreement.pearson > 0.99 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) { return example::main(argc, argv, run); }
