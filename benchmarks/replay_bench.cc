// The cost of a replay over making the calls, and of a device trace over enqueueing its programs.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <lightmetal/capture.hpp>
#include <lightmetal/replay.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <tt-metalium/bfloat16.hpp>
#include <tt-metalium/device.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <vector>

#include "absl/strings/str_format.h"
#include "benchmarks/benchmarks.h"
#include "benchmarks/counted_work.h"
#include "benchmarks/values.h"
#include "examples/common/tiles.h"
#include "examples/matmul_multi_core/matmul_program.h"
#include "examples/transformer_block/encoder_block.h"

namespace lightmetal::bench {
namespace {

LightMetalBinary capture(const std::function<void()>& run) {
  LightMetalBeginCapture({.read_goldens = true});
  run();
  return LightMetalEndCapture();
}

std::unique_ptr<Replay> load(const LightMetalBinary& binary, IDevice* device) {
  return value_of(Replay::load_bytes(binary.get_data(), {.device = device}));
}

// Runs all commands, and compares no goldens, as the program itself does not. Throws if the run
// leaves one out.
void run_all(Replay& replay) {
  checked_work(replay.num_commands(), value_of(replay.run({.check_goldens = false})).commands,
               "commands");
}

// Replays the capture once more and compares its goldens. Returns its launches as text. Throws
// unless the capture has `launches` launches and one golden, which matches.
std::string checked_launches(const LightMetalBinary& binary, IDevice* device, uint64_t launches) {
  const auto replay = value_of(Replay::load_bytes(binary.get_data(), {.device = device}));
  const ReplayResult result = value_of(replay->run());
  if (!result.matches()) throw std::runtime_error(result.mismatches.front().text());
  checked_work(1, result.goldens_checked, "goldens");
  return checked_work(launches, launches_of(*opened(binary)), "launches");
}

}  // namespace

// A file of SetRuntimeArgs commands, replayed, over the same calls made directly.
Ratio replay_dispatch() {
  constexpr uint32_t kCalls = 50'000;
  IDevice* device = CreateDevice(0);
  const auto make_calls = [](uint32_t calls) {
    Program program = CreateProgram();
    const CoreCoord core{0, 0};
    const KernelHandle kernel =
        CreateKernelFromString(program, "void kernel_main() {}", core, DataMovementConfig{});
    for (uint32_t i = 0; i < calls; ++i)
      SetRuntimeArgs(program, kernel, core, std::array<uint32_t, 4>{i, 1, 2, 3});
  };
  const LightMetalBinary binary = capture([&] { make_calls(kCalls); });
  const auto replay = load(binary, device);
  Ratio ratio = measure_ratio({.subject =
                                   [&] {
                                     run_all(*replay);
                                     return size_t{kCalls};
                                   },
                               .baseline =
                                   [&] {
                                     make_calls(kCalls);
                                     return size_t{kCalls};
                                   }},
                              21);
  ratio.work =
      checked_work(kCalls, commands_of(*opened(binary), {schema::Call::SetRuntimeArgs}), "calls");
  CloseDevice(device);
  return ratio;
}

namespace {

// Two pieces of work, in turn.
Ratio ratio_of(const std::function<void()>& subject, const std::function<void()>& baseline) {
  const auto counted = [](const std::function<void()>& work) {
    return [&work] {
      work();
      return size_t{1};
    };
  };
  return measure_ratio({.subject = counted(subject), .baseline = counted(baseline)}, 15);
}

// The run phase of a replay over the same work done by the program, which launches `launches`
// programs. Kernels are compiled beforehand for both.
Ratio replay_over(IDevice* device, uint64_t launches, const std::function<void()>& run_live) {
  const LightMetalBinary binary = capture(run_live);
  const auto replay = load(binary, device);
  Ratio ratio = ratio_of([&] { run_all(*replay); }, run_live);
  ratio.work = checked_launches(binary, device, launches);
  return ratio;
}

}  // namespace

// Buffers, writes, program, kernels, read-back.
Ratio replay_vs_live() {
  const auto mesh = distributed::MeshDevice::create_unit_mesh(0);
  const example::MatmulInputs tiles = example::tilized(example::make_matmul_inputs());
  return replay_over(mesh.get(), 1, [&] { example::run_matmul(*mesh, tiles); });
}

namespace {

// A transformer block's work on a device: buffers, writes of the weights, seven programs, their
// trace, ten replays of it, the read-back.
struct BlockWork {
  const example::transformer::BlockShape shape = {};
  const example::transformer::BlockWeights weights = tilized(make_weights(shape, 1));
  const example::transformer::Matrix input = tilized(make_input(shape, 1));
  const std::shared_ptr<distributed::MeshDevice> mesh = distributed::MeshDevice::create_unit_mesh(
      0, DEFAULT_L1_SMALL_SIZE, example::transformer::kTraceRegionSize);

  // Seven programs are launched once, and ten times by their trace.
  static constexpr uint64_t kLaunches = 7 + 10 * 7;

  void run_on_mesh() const { run(example::transformer::on_mesh(*mesh)); }
  void run_classic() const { run(example::transformer::on_device(mesh.get())); }

 private:
  void run(const std::unique_ptr<example::transformer::BlockDevice>& device) const {
    run_encoder_block(*device, shape, weights, input, 10);
  }
};

}  // namespace

Ratio transformer_replay_vs_live() {
  const BlockWork work;
  return replay_over(work.mesh.get(), BlockWork::kLaunches, [&] { work.run_on_mesh(); });
}

// The mesh form over the classic form: the worse of the block's work and the replay of its capture.
Ratio mesh_vs_classic() {
  const BlockWork work;
  const auto mesh_form = [&] { work.run_on_mesh(); };
  const auto classic_form = [&] { work.run_classic(); };
  const Ratio live = ratio_of(mesh_form, classic_form);
  const LightMetalBinary in_mesh = capture(mesh_form), in_classic = capture(classic_form);
  const auto mesh_file = load(in_mesh, work.mesh.get());
  const auto classic_file = load(in_classic, work.mesh.get());
  const Ratio replayed = ratio_of([&] { run_all(*mesh_file); }, [&] { run_all(*classic_file); });
  Ratio worse = live.ratio > replayed.ratio ? live : replayed;
  checked_launches(in_classic, work.mesh.get(), BlockWork::kLaunches);
  worse.work = checked_launches(in_mesh, work.mesh.get(), BlockWork::kLaunches);
  worse.note = absl::StrFormat("live %.3f, replayed %.3f", live.ratio, replayed.ratio);
  return worse;
}

namespace {

// A device that is opened with a schedule and with at most so many workers.
IDevice* open_with(chip_id_t chip, const char* schedule, unsigned workers) {
  setenv("LIGHTMETAL_CPU_DEVICE_SCHEDULE", schedule, 1);
  setenv("LIGHTMETAL_CPU_DEVICE_WORKERS", std::to_string(workers).c_str(), 1);
  IDevice* device =
      CreateDevice(chip, 1, DEFAULT_L1_SMALL_SIZE, example::transformer::kTraceRegionSize);
  unsetenv("LIGHTMETAL_CPU_DEVICE_SCHEDULE");
  unsetenv("LIGHTMETAL_CPU_DEVICE_WORKERS");
  return device;
}

LightMetalBinary captured_block() {
  const BlockWork work;
  return capture([&] { work.run_classic(); });
}

}  // namespace

// The transformer block's replay with the fixed schedule over the same with the free one on one
// worker, which has one processor as well. The note has the same over the free one on all
// processors.
Ratio fixed_schedule() {
  const unsigned processors = std::max(1u, std::thread::hardware_concurrency());
  const LightMetalBinary binary = captured_block();
  const std::array devices = {open_with(0, "fixed", processors), open_with(1, "free", 1),
                              open_with(2, "free", processors)};
  Ratio ratio;
  {
    const auto fixed = load(binary, devices[0]), one = load(binary, devices[1]);
    const auto all = load(binary, devices[2]);
    const auto over = [&](Replay& baseline) {
      return ratio_of([&] { run_all(*fixed); }, [&] { run_all(baseline); });
    };
    ratio = over(*one);
    ratio.note = absl::StrFormat("over the free schedule on %u processors: %.2f", processors,
                                 over(*all).ratio);
    ratio.work = checked_launches(binary, devices[0], BlockWork::kLaunches);
  }
  for (IDevice* device : devices) CloseDevice(device);
  return ratio;
}

// 100 replays of a device trace of two chained programs over 100 times enqueueing the two.
Ratio trace_vs_eager() {
  constexpr size_t kLoops = 100;
  constexpr uint32_t kNumTiles = 64;
  IDevice* device = CreateDevice(0, 1, DEFAULT_L1_SMALL_SIZE, /*trace_region_size=*/1 << 20);
  CommandQueue& cq = device->command_queue();
  const CoreCoord grid = device->compute_with_storage_grid_size();
  auto a = example::make_tiles(device, kNumTiles), b = example::make_tiles(device, kNumTiles);
  auto sum = example::make_tiles(device, kNumTiles),
       product = example::make_tiles(device, kNumTiles);
  Program add = example::make_binary_program(grid, kNumTiles, "add",
                                             {a->address(), b->address(), sum->address()});
  Program multiply = example::make_binary_program(
      grid, kNumTiles, "mul", {sum->address(), b->address(), product->address()});
  const auto enqueue_both = [&] {
    EnqueueProgram(cq, add, /*blocking=*/false);
    EnqueueProgram(cq, multiply, /*blocking=*/false);
  };
  enqueue_both();
  const uint32_t trace = BeginTraceCapture(device, cq.id());
  enqueue_both();
  EndTraceCapture(device, cq.id(), trace);
  const auto loop = [&](const std::function<void()>& work) {
    for (size_t i = 0; i < kLoops; ++i) work();
    Finish(cq);
    return kLoops;
  };
  const auto traced = [&] {
    return loop([&] { ReplayTrace(device, cq.id(), trace, /*blocking=*/false); });
  };
  const auto eager = [&] { return loop(enqueue_both); };
  Ratio ratio = measure_ratio({.subject = traced, .baseline = eager}, 15);
  ratio.work = checked_work(2 * kLoops, launches_in(eager), "launches");
  checked_work(2 * kLoops, launches_in(traced), "launches in traces");
  ReleaseTrace(device, trace);
  CloseDevice(device);
  return ratio;
}

}  // namespace lightmetal::bench
