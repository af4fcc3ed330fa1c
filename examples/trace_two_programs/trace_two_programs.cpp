// A device trace of two chained programs: sum = a + b, then product = sum * b. Both run eagerly
// first, then the trace is replayed 100 times. Usage: trace_two_programs [--capture FILE]
#include <cmath>
#include <cstdint>
#include <iostream>
#include <tt-metalium/bfloat16.hpp>
#include <tt-metalium/device.hpp>
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
  IDevice* device = CreateDevice(0, 1, DEFAULT_L1_SMALL_SIZE, /*trace_region_size=*/1 << 20);
  CommandQueue& cq = device->command_queue();
  const CoreCoord grid = device->compute_with_storage_grid_size();
  auto a = example::make_tiles(device, kNumTiles);
  auto b = example::make_tiles(device, kNumTiles);
  auto sum = example::make_tiles(device, kNumTiles);
  auto product = example::make_tiles(device, kNumTiles);
  Program add = example::make_binary_program(grid, kNumTiles, "add", *a, *b, *sum);
  Program multiply = example::make_binary_program(grid, kNumTiles, "mul", *sum, *b, *product);

  auto a_values = create_random_vector_of_bfloat16_native(kBytes, 4.0f, 1);
  const auto b_values = create_random_vector_of_bfloat16_native(kBytes, 4.0f, 2);
  EnqueueWriteBuffer(cq, a, a_values.data(), /*blocking=*/false);
  EnqueueWriteBuffer(cq, b, b_values.data(), /*blocking=*/false);
  EnqueueProgram(cq, add, /*blocking=*/false);
  EnqueueProgram(cq, multiply, /*blocking=*/false);
  std::vector<bfloat16> products;
  EnqueueReadBuffer(cq, product, products, /*blocking=*/true);
  size_t wrong = count_wrong(a_values, b_values, products);

  const uint32_t trace = BeginTraceCapture(device, cq.id());
  EnqueueProgram(cq, add, /*blocking=*/false);
  EnqueueProgram(cq, multiply, /*blocking=*/false);
  EndTraceCapture(device, cq.id(), trace);

  // The replays see new data in the same buffers.
  a_values = create_random_vector_of_bfloat16_native(kBytes, 4.0f, 3);
  EnqueueWriteBuffer(cq, a, a_values.data(), /*blocking=*/false);
  for (int i = 0; i < kReplays; ++i) {
    ReplayTrace(device, cq.id(), trace, /*blocking=*/false);
  }
  EnqueueReadBuffer(cq, product, products, /*blocking=*/true);
  wrong += count_wrong(a_values, b_values, products);
  ReleaseTrace(device, trace);
  CloseDevice(device);

  std::cout << "trace_two_programs: eager and after " << kReplays << " replays of the trace, "
            << wrong << " wrong of " << 2 * products.size() << "\n";
  return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) { return example::main(argc, argv, run); }
