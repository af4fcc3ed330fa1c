#include "examples/stitch/affine_program.h"

#include <cstdlib>
#include <iostream>
#include <numeric>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <utility>
#include <vector>

#include "examples/common/example.h"
#include "examples/common/tiles.h"

namespace example {
namespace {

using namespace tt::tt_metal;

constexpr uint32_t kRows = 32, kColumns = 256;
constexpr uint32_t kPageSize = kColumns * sizeof(uint32_t);  // a row

using Words = std::vector<uint32_t>;

distributed::MeshWorkload make_affine_workload(distributed::MeshDevice& mesh, uint32_t factor,
                                               uint32_t summand,
                                               const std::vector<uint32_t>& arguments) {
  Program program = CreateProgram();
  const CoreCoord core = {0, 0};
  const KernelHandle kernel =
      CreateKernel(program, kernel_path("stitch/kernels/affine.cpp"), core,
                   DataMovementConfig{.processor = DataMovementProcessor::RISCV_0,
                                      .noc = NOC::RISCV_0_default,
                                      .compile_args = {kPageSize, factor, summand}});
  SetRuntimeArgs(program, kernel, core, arguments);
  return on_all(mesh, std::move(program));
}

Words compute(distributed::MeshDevice& mesh, uint32_t factor, uint32_t summand, Words values) {
  const auto x = make_pages(mesh, kRows, kPageSize), y = make_pages(mesh, kRows, kPageSize);
  const auto scratch = distributed::MeshBuffer::create(
      distributed::ReplicatedBufferConfig{.size = kPageSize},
      distributed::DeviceLocalBufferConfig{.page_size = kPageSize, .buffer_type = BufferType::L1},
      &mesh);
  LightMetalBindInput("x", x, {{kRows, kColumns}, lightmetal::TensorType::UInt32});
  LightMetalBindOutput("y", y, {{kRows, kColumns}, lightmetal::TensorType::UInt32});
  distributed::MeshWorkload workload = make_affine_workload(
      mesh, factor, summand, {address_of(*scratch), address_of(*x), address_of(*y), kRows});

  distributed::MeshCommandQueue& cq = mesh.mesh_command_queue();
  Words result;
  LightMetalEntryBegin("affine");
  distributed::EnqueueWriteMeshBuffer(cq, x, values, /*blocking=*/false);
  distributed::EnqueueMeshWorkload(cq, workload, /*blocking=*/false);
  distributed::EnqueueReadMeshBuffer(cq, result, y, /*blocking=*/true);
  LightMetalEntryEnd();
  return result;
}

}  // namespace

int run_affine(const char* name, uint32_t factor, uint32_t summand) {
  Words values(kRows * kColumns);
  std::iota(values.begin(), values.end(), 1u);
  auto mesh = distributed::MeshDevice::create_unit_mesh(0);
  const Words result = compute(*mesh, factor, summand, values);
  mesh->close();

  for (uint32_t& value : values) value = factor * value + summand;
  const bool equal = result == values;
  std::cout << name << ": " << result.size() << " words, " << (equal ? "equal" : "NOT equal")
            << "\n";
  return equal ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace example
