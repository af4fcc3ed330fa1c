// The smallest whole program: one data movement kernel on one core copies a DRAM buffer to another,
// page by page. Usage: loopback [--capture FILE]
#include <cstdint>
#include <iostream>
#include <numeric>
#include <tt-metalium/device.hpp>
#include <tt-metalium/host_api.hpp>
#include <vector>

#include "examples/common/example.h"

using namespace tt::tt_metal;

namespace {

constexpr uint32_t kPageSize = 2048;
constexpr uint32_t kNumPages = 50;

std::shared_ptr<Buffer> make_buffer(IDevice* device, uint32_t num_pages, BufferType type) {
  return CreateBuffer(InterleavedBufferConfig{.device = device,
                                              .size = num_pages * kPageSize,
                                              .page_size = kPageSize,
                                              .buffer_type = type});
}

int run() {
  IDevice* device = CreateDevice(0);
  CommandQueue& cq = device->command_queue();
  auto source = make_buffer(device, kNumPages, BufferType::DRAM);
  auto result = make_buffer(device, kNumPages, BufferType::DRAM);
  auto scratch = make_buffer(device, 1, BufferType::L1);

  Program program = CreateProgram();
  const CoreCoord core = {0, 0};
  const KernelHandle kernel =
      CreateKernel(program, example::kernel_path("loopback/kernels/loopback.cpp"), core,
                   DataMovementConfig{.processor = DataMovementProcessor::RISCV_0,
                                      .noc = NOC::RISCV_0_default,
                                      .compile_args = {kPageSize}});
  SetRuntimeArgs(program, kernel, core,
                 {scratch->address(), source->address(), result->address(), kNumPages});

  std::vector<uint32_t> input(kNumPages * kPageSize / sizeof(uint32_t));
  std::iota(input.begin(), input.end(), 1u);
  EnqueueWriteBuffer(cq, source, input, /*blocking=*/false);
  EnqueueProgram(cq, program, /*blocking=*/false);
  std::vector<uint32_t> output;
  EnqueueReadBuffer(cq, result, output, /*blocking=*/true);
  CloseDevice(device);

  const bool equal = input == output;
  std::cout << "loopback: " << output.size() * sizeof(uint32_t) << " bytes through core (0, 0), "
            << (equal ? "equal" : "NOT equal") << "\n";
  return equal ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) { return example::main(argc, argv, run); }
