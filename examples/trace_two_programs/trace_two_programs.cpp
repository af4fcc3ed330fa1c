// A device trace of two chained programs: sum = a + b, then product = sum * b. Both run eagerly
// first, then the trace is replayed 100 times. Usage: trace_two_programs [--capture FILE]
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

constexpr uint32_t kNumTiles = 64;
constexpr int kReplays = 100;
constexpr size_t kBytes = kNumTiles * example::kTileBytes;

// Two roundings to bfloat16, each within 2^-8 of the value.
size_t count_wrong(const std::vector<bfloat16>& a, const std::vector<bfloat16>& b,
                   const std::vector<bfloat16>& product) {
  size_t wrong = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const float expected = (a[i].to_float() + b[i].to_float()) * b[i].to_float();
    wrong += std::abs(product[i].to_float() - expected) > std::abs(expected) / 128;
  }
  return wrong;
}

int run() {
  auto mesh = distributed::MeshDevice::create_unit_mesh(0, DEFAULT_L1_SMALL_SIZE,
                                                        /*trace_region_size=*/1 << 20);
  distributed::MeshCommandQueue& cq = mesh->mesh_command_queue();
  const CoreCoord grid = mesh->compute_with_storage_grid_size();
  auto a = example::make_tiles(*mesh, kNumTiles);
  auto b = example::make_tiles(*mesh, kNumTiles);
  auto sum = example::make_tiles(*mesh, kNumTiles);
  auto product = example::make_tiles(*mesh, kNumTiles);
  auto add = example::on_all(
      *mesh, example::make_binary_program(
                 grid, kNumTiles, "add",
                 {example::address_of(*a), example::address_of(*b), example::address_of(*sum)}));
  auto multiply = example::on_all(
      *mesh, example::make_binary_program(grid, kNumTiles, "mul",
                                          {example::address_of(*sum), example::address_of(*b),
                                           example::address_of(*product)}));

  auto a_values = create_random_vector_of_bfloat16_native(kBytes, 4.0f, 1);
  const auto b_values = create_random_vector_of_bfloat16_native(kBytes, 4.0f, 2);
  distributed::EnqueueWriteMeshBuffer(cq, a, a_values, /*blocking=*/false);
  distributed::EnqueueWriteMeshBuffer(cq, b, b_values, /*blocking=*/false);
  distributed::EnqueueMeshWorkload(cq, add, /*blocking=*/false);
  distributed::EnqueueMeshWorkload(cq, multiply, /*blocking=*/false);
  std::vector<bfloat16> products;
  distributed::EnqueueReadMeshBuffer(cq, products, product, /*blocking=*/true);
  size_t wrong = count_wrong(a_values, b_values, products);

  const auto queue = static_cast<uint8_t>(cq.id());
  const distributed::MeshTraceId trace = mesh->begin_mesh_trace(queue);
  distributed::EnqueueMeshWorkload(cq, add, /*blocking=*/false);
  distributed::EnqueueMeshWorkload(cq, multiply, /*blocking=*/false);
  mesh->end_mesh_trace(queue, trace);

  // The replays see new data in the same buffers.
  a_values = create_random_vector_of_bfloat16_native(kBytes, 4.0f, 3);
  distributed::EnqueueWriteMeshBuffer(cq, a, a_values, /*blocking=*/false);
  for (int i = 0; i < kReplays; ++i) {
    mesh->replay_mesh_trace(queue, trace, /*blocking=*/false);
  }
  distributed::EnqueueReadMeshBuffer(cq, products, product, /*blocking=*/true);
  wrong += count_wrong(a_values, b_values, products);
  mesh->release_mesh_trace(trace);
  mesh->close();

  std::cout << "trace_two_programs: eager and after " << kReplays << " replays of the trace, "
            << wrong << " wrong of " << 2 * products.size() << "\n";
  return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) { return example::main(argc, argv, run); }
