// Prints the nanoseconds of one host API call while no capture runs, of the call that the command
// line names, and the number of calls in each round. Built twice, with capture compiled in and
// compiled out; lightmetal_bench runs both in turn.
#include <algorithm>
#include <array>
#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string_view>
#include <tt-metalium/device.hpp>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/experimental/metal2_host_api/program.hpp>
#include <tt-metalium/host_api.hpp>
#include <utility>

using namespace tt::tt_metal;

namespace {

constexpr char kSource[] = "void kernel_main() {}";
constexpr uint32_t kCalls = 20'000;

struct Measured {
  double nanoseconds = 0;
  uint64_t calls = 0;
};

// The best of many rounds.
template <typename Call>
double nanoseconds_of(Call call) {
  double best = 1e30;
  for (int round = 0; round < 20; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (uint32_t i = 0; i < kCalls; ++i) call(i);
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count() / kCalls);
  }
  return best;
}

Measured of_set_runtime_args() {
  IDevice* device = CreateDevice(0);
  Program program = CreateProgram();
  const CoreCoord core{0, 0};
  const KernelHandle kernel = CreateKernelFromString(
      program, kSource, core,
      DataMovementConfig{.processor = DataMovementProcessor::RISCV_0, .noc = NOC::RISCV_0_default});
  const double best = nanoseconds_of([&](uint32_t i) {
    SetRuntimeArgs(program, kernel, core, std::array<uint32_t, 4>{i, 1, 2, 3});
  });
  // The last call of a round sets the number of the calls before it.
  const uint64_t calls = uint64_t{1} + GetRuntimeArgs(program, kernel, core)[0];
  CloseDevice(device);
  return {best, calls};
}

// The last of each thousand launches waits for all of them.
Measured of_enqueue_mesh_workload() {
  auto mesh = distributed::MeshDevice::create_unit_mesh(0);
  Program program = CreateProgram();
  CreateKernelFromString(
      program, kSource, CoreCoord(0, 0),
      DataMovementConfig{.processor = DataMovementProcessor::RISCV_0, .noc = NOC::RISCV_0_default});
  distributed::MeshWorkload workload;
  workload.add_program(distributed::MeshCoordinateRange(mesh->shape()), std::move(program));
  distributed::MeshCommandQueue& queue = mesh->mesh_command_queue();
  uint64_t calls = 0;
  const double best = nanoseconds_of([&](uint32_t i) {
    distributed::EnqueueMeshWorkload(queue, workload, /*blocking=*/i % 1000 == 999);
    calls = i + 1;
  });
  return {best, calls};
}

// Two arguments on one node, and a tensor.
Measured of_set_program_run_args() {
  namespace m2 = experimental;
  auto mesh = distributed::MeshDevice::create_unit_mesh(0);
  const m2::KernelSpecName kernel{"kernel"};
  const m2::TensorParamName tensor{"tensor"};
  const TensorSpec tiles(Shape({32, 32}), TensorLayout(DataType::BFLOAT16, Layout::TILE, {}));
  const MeshTensor given = MeshTensor::allocate_on_device(*mesh, tiles);
  Program program = m2::MakeProgramFromSpec(
      *mesh,
      {.name = "idle",
       .kernels = {{.unique_id = kernel,
                    .source = m2::KernelSpec::SourceCode{kSource},
                    .tensor_bindings = {{tensor, "tensor"}},
                    .runtime_arg_schema = {.runtime_arg_names = {"first", "count"}},
                    .hw_config = m2::CreateReaderGen1DataMovementConfig()}},
       .tensor_parameters = {{.unique_id = tensor, .spec = tiles}},
       .work_units = {{.name = "idle", .kernels = {kernel}, .target_nodes = m2::NodeCoord{0, 0}}}});
  m2::ProgramRunArgs args{
      .kernel_run_args = {{.kernel = kernel,
                           .runtime_arg_values = m2::MakeRuntimeArgsForSingleNode(
                               {0, 0}, {{"first", 0}, {"count", 1}})}},
      .tensor_args = {{tensor, given}}};
  uint64_t calls = 0;
  const double best = nanoseconds_of([&](uint32_t i) {
    args.kernel_run_args[0].runtime_arg_values["first"][{0, 0}] = i;
    m2::SetProgramRunArgs(program, args);
    calls = i + 1;
  });
  return {best, calls};
}

}  // namespace

int main(int argc, char** argv) {
  setenv("LIGHTMETAL_DEVICE", "null", 1);
  const std::map<std::string_view, Measured (*)()> calls = {
      {"SetRuntimeArgs", of_set_runtime_args},
      {"SetProgramRunArgs", of_set_program_run_args},
      {"EnqueueMeshWorkload", of_enqueue_mesh_workload}};
  const auto call = calls.find(argc == 2 ? argv[1] : "");
  if (call == calls.end()) {
    std::fprintf(stderr, "usage: %s SetRuntimeArgs|SetProgramRunArgs|EnqueueMeshWorkload\n",
                 argv[0]);
    return EXIT_FAILURE;
  }
  const Measured measured = call->second();
  std::printf("%.3f %" PRIu64 "\n", measured.nanoseconds, measured.calls);
}
