// The sum of two vectors on the CPU device, over a plain loop.
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <tt-metalium/bfloat16.hpp>
#include <tt-metalium/device.hpp>
#include <tt-metalium/host_api.hpp>
#include <vector>

#include "absl/strings/str_format.h"
#include "benchmarks/benchmarks.h"
#include "benchmarks/programs.h"
#include "benchmarks/sum_loop.h"
#include "examples/common/tiles.h"

namespace lightmetal::bench {
namespace {

constexpr size_t kBytes = size_t{64} << 20;
constexpr size_t kElements = kBytes / sizeof(bfloat16);

std::vector<uint16_t> random_bfloat16s(uint32_t seed) {
  std::vector<uint16_t> values(kElements);
  for (uint16_t& value : values) {
    seed = seed * 1664525 + 1013904223;
    value = static_cast<uint16_t>((seed >> 16 & 0x80ff) | 0x3f00);  // +-[0.5, 2)
  }
  return values;
}

// Adds the vectors on as many threads as the device uses: one for each of the host's processors.
void add_on_threads(size_t threads, const std::vector<uint16_t>& a, const std::vector<uint16_t>& b,
                    std::vector<uint16_t>& sum) {
  std::vector<std::thread> others;
  const auto add_part = [&](size_t part) {
    const size_t begin = kElements * part / threads, end = kElements * (part + 1) / threads;
    add_bfloat16s(a.data() + begin, b.data() + begin, sum.data() + begin, end - begin);
  };
  for (size_t part = 1; part < threads; ++part) others.emplace_back(add_part, part);
  add_part(0);
  for (std::thread& other : others) other.join();
}

}  // namespace

// A sum of two vectors of 64 MiB of bfloat16 through reader, compute and writer kernels on the full
// grid, over a vectorised loop with the same rounding on the same number of threads.
Ratio vecadd_vs_loop() {
  constexpr auto kNumTiles = static_cast<uint32_t>(kBytes / example::kTileBytes);
  constexpr uint32_t kBatch = 8;
  const std::vector<uint16_t> a = random_bfloat16s(1), b = random_bfloat16s(2);
  std::vector<uint16_t> expected(kElements), found(kElements);
  const size_t threads = std::max(1u, std::thread::hardware_concurrency());

  IDevice* device = CreateDevice(0);
  CommandQueue& cq = device->command_queue();
  auto device_a = example::make_tiles(device, kNumTiles),
       device_b = example::make_tiles(device, kNumTiles),
       device_sum = example::make_tiles(device, kNumTiles);
  EnqueueWriteBuffer(cq, *device_a, a.data(), /*blocking=*/true);
  EnqueueWriteBuffer(cq, *device_b, b.data(), /*blocking=*/true);
  Program program = make_sum_program(device->compute_with_storage_grid_size(), kNumTiles, kBatch,
                                     *device_a, *device_b, *device_sum);
  Ratio ratio = as_rates(measure_ratio({.subject =
                                            [&] {
                                              EnqueueProgram(cq, program, /*blocking=*/true);
                                              return size_t{1};
                                            },
                                        .baseline =
                                            [&] {
                                              add_on_threads(threads, a, b, expected);
                                              return size_t{1};
                                            }},
                                       21),
                         3.0 * kBytes, "GB/s");
  EnqueueReadBuffer(cq, *device_sum, found.data(), /*blocking=*/true);
  if (found != expected)
    throw std::runtime_error("the device and the loop computed different sums");
  ratio.work = checked_work(kElements, found.size(), "equal elements");
  ratio.note = absl::StrFormat("%d threads each", threads);
  CloseDevice(device);
  return ratio;
}

}  // namespace lightmetal::bench
