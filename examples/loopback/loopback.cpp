// The smallest whole program: one data movement kernel on one core copies a DRAM buffer to another,
// page by page. Usage: loopback [--capture FILE]
#include <cstdint>
#include <iostream>
#include <numeric>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/host_api.hpp>
#include <utility>
#include <vector>

#include "examples/common/example.h"
#include "examples/common/tiles.h"

using namespace tt::tt_metal;

namespace {

constexpr uint32_t kPageSize = 2048;
constexpr uint32_t kNumPages = 50;

std::shared_ptr<distributed::MeshBuffer> make_buffer(distributed::MeshDevice& mesh,
                                                     uint32_t num_pages, BufferType type) {
  return distributed::MeshBuffer::create(
      distributed::ReplicatedBufferConfig{.size = num_pages * kPageSize},
      distributed::DeviceLocalBufferConfig{.page_size = kPageSize, .buffer_type = type}, &mesh);
}

int run() {
  auto mesh = distributed::MeshDevice::create_unit_mesh(0);
  distributed::MeshCommandQueue& cq = mesh->mesh_command_queue();
  auto source = make_buffer(*mesh, kNumPages, BufferType::DRAM);
  auto result = make_buffer(*mesh, kNumPages, BufferType::DRAM);
  auto scratch = make_buffer(*mesh, 1, BufferType::L1);

  Program program = CreateProgram();
  const CoreCoord core = {0, 0};
  const KernelHandle kernel =
      CreateKernel(program, example::kernel_path("loopback/kernels/loopback.cpp"), core,
                   DataMovementConfig{.processor = DataMovementProcessor::RISCV_0,
                                      .noc = NOC::RISCV_0_default,
                                      .compile_args = {kPageSize}});
  SetRuntimeArgs(program, kernel, core,
                 {example::address_of(*scratch), example::address_of(*source),
                  example::address_of(*result), kNumPages});
  distributed::MeshWorkload workload = example::on_all(*mesh, std::move(program));

  std::vector<uint32_t> input(kNumPages * kPageSize / sizeof(uint32_t));
  std::iota(input.begin(), input.end(), 1u);
  distributed::EnqueueWriteMeshBuffer(cq, source, input, /*blocking=*/false);
  distributed::EnqueueMeshWorkload(cq, workload, /*blocking=*/false);
  std::vector<uint32_t> output;
  distributed::EnqueueReadMeshBuffer(cq, output, result, /*blocking=*/true);
  mesh->close();

  const bool equal = input == output;
  std::cout << "loopback: " << output.size() * sizeof(uint32_t) << " bytes through core (0, 0), "
            << (equal ? "equal" : "NOT equal") << "\n";
  return equal ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) { return example::main(argc, argv, run); }
