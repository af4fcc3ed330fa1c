// An outside project: captures a kernel from a string, saves the file and replays it.
#include <iostream>
#include <tt-metalium/device.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <tt-metalium/lightmetal_replay.hpp>
#include <vector>

using namespace tt::tt_metal;

int main(int, char** argv) {
  IDevice* device = CreateDevice(0);
  LightMetalBeginCapture();
  auto buffer = CreateBuffer(InterleavedBufferConfig{
      .device = device, .size = 64, .page_size = 64, .buffer_type = BufferType::DRAM});
  auto scratch = CreateBuffer(InterleavedBufferConfig{
      .device = device, .size = 64, .page_size = 64, .buffer_type = BufferType::L1});
  Program program = CreateProgram();
  const KernelHandle kernel = CreateKernelFromString(
      program,
      "void kernel_main() {"
      "  volatile uint32_t* words = (volatile uint32_t*)get_arg_val<uint32_t>(0);"
      "  for (uint32_t i = 0; i < 16; ++i) words[i] = i * i;"
      "  noc_async_write(get_arg_val<uint32_t>(0), get_noc_addr_from_bank_id<true>(0, "
      "get_arg_val<uint32_t>(1)), 64);"
      "  noc_async_write_barrier();"
      "}",
      CoreCoord{0, 0},
      DataMovementConfig{.processor = DataMovementProcessor::RISCV_0, .noc = NOC::RISCV_0_default});
  SetRuntimeArgs(program, kernel, CoreCoord{0, 0}, {scratch->address(), buffer->address()});
  EnqueueProgram(device->command_queue(), program, false);
  std::vector<uint32_t> squares(16);
  LightMetalCompareToCapture(device->command_queue(), buffer, squares.data());
  LightMetalBinary binary = LightMetalEndCapture();
  CloseDevice(device);
  for (uint32_t i = 0; i < squares.size(); ++i) {
    if (squares[i] != i * i) return EXIT_FAILURE;
  }
  binary.save_to_file(argv[1]);
  LightMetalReplay replay(LightMetalBinary::load_from_file(argv[1]));
  std::cout << "replayed: " << std::boolalpha << replay.run() << "\n";
}
