// Adds two vectors of bfloat16 on every core of the grid: interleaved tiles in DRAM, a reader, a
// compute and a writer kernel per core. Usage: vecadd_multi_core [--capture FILE]
#include <cmath>
#include <cstdint>
#include <iostream>
#include <tt-metalium/bfloat16.hpp>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/host_api.hpp>
#include <vector>

#include "examples/common/example.h"
#include "examples/common/tiles.h"

using namespace tt::tt_metal;

namespace {

constexpr uint32_t kNumTiles = 640;

// The sum is rounded once, so it is within half a unit in the last place (2^-8) of the exact one.
size_t count_wrong(const std::vector<bfloat16>& a, const std::vector<bfloat16>& b,
                   const std::vector<bfloat16>& sum) {
  size_t wrong = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const float expected = a[i].to_float() + b[i].to_float();
    wrong += std::abs(sum[i].to_float() - expected) > std::abs(expected) / 256;
  }
  return wrong;
}

int run() {
  auto mesh = distributed::MeshDevice::create_unit_mesh(0);
  distributed::MeshCommandQueue& cq = mesh->mesh_command_queue();
  auto a = example::make_tiles(*mesh, kNumTiles);
  auto b = example::make_tiles(*mesh, kNumTiles);
  auto sum = example::make_tiles(*mesh, kNumTiles);
  const auto a_values =
      create_random_vector_of_bfloat16_native(kNumTiles * example::kTileBytes, 10.0f, 1);
  const auto b_values =
      create_random_vector_of_bfloat16_native(kNumTiles * example::kTileBytes, 10.0f, 2);

  auto workload = example::on_all(
      *mesh, example::make_binary_program(
                 mesh->compute_with_storage_grid_size(), kNumTiles, "add",
                 {example::address_of(*a), example::address_of(*b), example::address_of(*sum)}));
  distributed::EnqueueWriteMeshBuffer(cq, a, a_values, /*blocking=*/false);
  distributed::EnqueueWriteMeshBuffer(cq, b, b_values, /*blocking=*/false);
  distributed::EnqueueMeshWorkload(cq, workload, /*blocking=*/false);
  std::vector<bfloat16> sums;
  distributed::EnqueueReadMeshBuffer(cq, sums, sum, /*blocking=*/true);
  mesh->close();

  const size_t wrong = count_wrong(a_values, b_values, sums);
  std::cout << "vecadd_multi_core: " << sums.size() << " elements, " << wrong << " wrong\n";
  return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) { return example::main(argc, argv, run); }
