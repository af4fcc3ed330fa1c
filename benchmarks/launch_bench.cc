// The cost of a launch that does nothing, and of making a program that was made before.
#include <lightmetal/replay.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <tt-metalium/device.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/tt_metal.hpp>
#include <vector>

#include "benchmarks/benchmarks.h"
#include "benchmarks/programs.h"
#include "examples/common/tiles.h"

namespace lightmetal::bench {
namespace {

using namespace tt::tt_metal;

void run_threads(size_t count) {
  std::vector<std::thread> threads;
  threads.reserve(count);
  for (size_t i = 0; i < count; ++i) threads.emplace_back([] {});
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

// Running a program of three empty kernels on each core of the grid to its end, over making and
// joining one thread for each of these kernels.
Ratio launch_vs_thread_per_kernel() {
  constexpr size_t kLaunches = 100, kThreadRounds = 3;
  IDevice* device = CreateDevice(0);
  CommandQueue& cq = device->command_queue();
  const CoreCoord grid = device->compute_with_storage_grid_size();
  Program program = make_empty_program(grid);
  const Ratio ratio = measure_ratio({.subject =
                                         [&] {
                                           for (size_t i = 0; i < kLaunches; ++i)
                                             EnqueueProgram(cq, program, /*blocking=*/true);
                                           return kLaunches;
                                         },
                                     .baseline =
                                         [&] {
                                           for (size_t i = 0; i < kThreadRounds; ++i)
                                             run_threads(3 * grid.x * grid.y);
                                           return kThreadRounds;
                                         }},
                                    21);
  CloseDevice(device);
  return ratio;
}

// Making a program of three kernels that lie in the kernel cache, to where it could be launched,
// over loading a captured file in which the same kernels are embedded. Each on a device that has
// just been opened, so that the kernels' code must be loaded.
Ratio kernel_cache_hit() {
  constexpr uint32_t kNumTiles = 64;
  IDevice* device = CreateDevice(0);
  const auto make = [&] {
    auto a = example::make_tiles(device, kNumTiles), b = example::make_tiles(device, kNumTiles),
         sum = example::make_tiles(device, kNumTiles);
    Program program = make_sum_program(device->compute_with_storage_grid_size(), kNumTiles,
                                       /*batch=*/1, *a, *b, *sum);
    detail::ConfigureDeviceWithProgram(device, program);
    return size_t{1};
  };
  LightMetalBeginCapture();
  make();
  const LightMetalBinary binary = LightMetalEndCapture();
  std::unique_ptr<Replay> replay;
  const auto reopen = [&] {
    replay.reset();
    CloseDevice(device);
    device = CreateDevice(0);
  };
  const auto load = [&] {
    auto loaded = Replay::load_bytes(binary.get_data(), {.device = device});
    if (!loaded.ok()) throw std::runtime_error(std::string(loaded.status().message()));
    replay = *std::move(loaded);
    return size_t{1};
  };
  const Ratio ratio = measure_ratio(
      {.subject = make, .baseline = load, .prepare_subject = reopen, .prepare_baseline = reopen},
      21);
  replay.reset();
  CloseDevice(device);
  return ratio;
}

}  // namespace lightmetal::bench
