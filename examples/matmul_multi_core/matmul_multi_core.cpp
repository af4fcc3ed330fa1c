// C = A x B, 640x640x640 in bfloat16, on every core of the grid; checked against a host product in
// double precision. Usage: matmul_multi_core [--capture FILE]
#include <cstdlib>
#include <iostream>
#include <tt-metalium/bfloat16.hpp>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/tilize_untilize.hpp>
#include <vector>

#include "examples/common/agreement.h"
#include "examples/common/example.h"
#include "examples/matmul_multi_core/matmul_program.h"

using namespace tt::tt_metal;

namespace {

using namespace example;

int run() {
  const MatmulShape shape;
  const MatmulInputs inputs = make_matmul_inputs();
  const std::vector<double> expected = multiply_on_host(inputs);
  auto mesh = distributed::MeshDevice::create_unit_mesh(0);
  std::vector<bfloat16> found = run_matmul(*mesh, tilized(inputs));
  mesh->close();
  untilize(found, shape.m, shape.n);

  const Agreement agreement = compare(expected, doubles(found));
  std::cout << "matmul_multi_core: " << shape.m << "x" << shape.n << "x" << shape.k
            << ", Pearson correlation " << agreement.pearson << ", max absolute error "
            << agreement.max_absolute_error << "\n";
  return agreement.pearson > 0.99 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) { return example::main(argc, argv, run); }
