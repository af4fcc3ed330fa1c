// The cost of a launch that does nothing, and of making a program that was made before.
#include <atomic>
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
#include "benchmarks/counted_work.h"
#include "benchmarks/programs.h"
#include "examples/common/tiles.h"

namespace lightmetal::bench {
namespace {

// Returns how many have run.
size_t run_threads(size_t count) {
  std::atomic<size_t> run = 0;
  std::vector<std::thread> threads;
  threads.reserve(count);
  for (size_t i = 0; i < count; ++i)
    threads.emplace_back([&run] { run.fetch_add(1, std::memory_order_relaxed); });
  for (std::thread& thread : threads) thread.join();
  return run;
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
  const size_t kernels = 3 * grid.x * grid.y;
  const auto launch = [&] {
    for (size_t i = 0; i < kLaunches; ++i) EnqueueProgram(cq, program, /*blocking=*/true);
    return kLaunches;
  };
  const auto run_kernels_as_threads = [&] {
    for (size_t i = 0; i < kThreadRounds; ++i)
      checked_work(kernels, run_threads(kernels), "threads");
    return kThreadRounds;
  };
  Ratio ratio = measure_ratio({.subject = launch, .baseline = run_kernels_as_threads}, 21);
  ratio.work = checked_work(kLaunches, launches_in(launch), "launches");
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
  const FilePointer file = opened(binary);
  const uint64_t kernels = commands_of(*file, {schema::Call::KernelBinary});
  std::unique_ptr<Replay> replay;
  uint64_t loaded_commands = 0;
  const auto reopen = [&] {
    replay.reset();
    CloseDevice(device);
    device = CreateDevice(0);
  };
  const auto load = [&] {
    auto loaded = Replay::load_bytes(binary.get_data(), {.device = device});
    if (!loaded.ok()) throw std::runtime_error(std::string(loaded.status().message()));
    replay = *std::move(loaded);
    loaded_commands = replay->num_commands();
    return size_t{1};
  };
  Ratio ratio = measure_ratio(
      {.subject = make, .baseline = load, .prepare_subject = reopen, .prepare_baseline = reopen},
      21);
  checked_work(file->num_commands(), loaded_commands, "loaded commands");
  ratio.work = checked_work(3, kernels, "kernels");
  replay.reset();
  CloseDevice(device);
  return ratio;
}

}  // namespace lightmetal::bench
