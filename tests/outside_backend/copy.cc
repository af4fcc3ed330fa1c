// Copies a buffer by a kernel on the device that LIGHTMETAL_DEVICE names, and checks the copy.
#include <cstdio>
#include <tt-metalium/device.hpp>
#include <tt-metalium/host_api.hpp>
#include <vector>

using namespace tt::tt_metal;

int main() {
  IDevice* device = CreateDevice(0);
  CommandQueue& queue = device->command_queue();
  const InterleavedBufferConfig config{
      .device = device, .size = 2048, .page_size = 2048, .buffer_type = BufferType::DRAM};
  auto from = CreateBuffer(config), to = CreateBuffer(config);
  Program program = CreateProgram();
  const KernelHandle kernel = CreateKernelFromString(
      program, "// native: copy\nvoid kernel_main() {}", CoreCoord{0, 0},
      DataMovementConfig{.processor = DataMovementProcessor::RISCV_0, .noc = NOC::RISCV_0_default});
  SetRuntimeArgs(program, kernel, CoreCoord{0, 0}, {0, from->address(), 0, to->address(), 2048});
  std::vector<uint32_t> data(512), found;
  for (uint32_t i = 0; i < data.size(); ++i) data[i] = i * i;
  EnqueueWriteBuffer(queue, from, data, false);
  EnqueueProgram(queue, program, false);
  EnqueueReadBuffer(queue, to, found, true);
  CloseDevice(device);
  std::printf("copied: %s\n", found == data ? "true" : "false");
  return found == data ? 0 : 1;
}
