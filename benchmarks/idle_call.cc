// Prints the nanoseconds of one host API call while no capture runs. Built twice, with capture
// compiled in and compiled out; lightmetal_bench runs both in turn.
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <tt-metalium/device.hpp>
#include <tt-metalium/host_api.hpp>

using namespace tt::tt_metal;

int main() {
  setenv("LIGHTMETAL_DEVICE", "null", 1);
  IDevice* device = CreateDevice(0);
  Program program = CreateProgram();
  const KernelHandle kernel = CreateKernelFromString(
      program, "void kernel_main() {}", CoreCoord{0, 0},
      DataMovementConfig{.processor = DataMovementProcessor::RISCV_0, .noc = NOC::RISCV_0_default});
  const CoreCoord core{0, 0};
  double best = 1e30;
  for (int round = 0; round < 20; ++round) {
    constexpr uint32_t kCalls = 20'000;
    const auto start = std::chrono::steady_clock::now();
    for (uint32_t i = 0; i < kCalls; ++i)
      SetRuntimeArgs(program, kernel, core, std::array<uint32_t, 4>{i, 1, 2, 3});
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count() / kCalls);
  }
  std::printf("%.3f\n", best);
  CloseDevice(device);
}
