// A program that ends with 7 while other threads make calls, in the way that its first argument
// names, after as many rounds of calls as the second says.
#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <tt-metalium/global_semaphore.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/tt_metal.hpp>
#include <vector>

namespace {

using namespace tt::tt_metal;

constexpr int kCode = 7;
std::atomic<int> g_rounds = 0;

std::shared_ptr<Buffer> make_buffer(IDevice* device) {
  return CreateBuffer(InterleavedBufferConfig{.device = device, .size = 65'536, .page_size = 4096});
}

// Makes calls of all kinds that reach a device, for ever.
[[noreturn]] void make_calls(IDevice* device, CommandQueue& queue) {
  auto buffer = make_buffer(device);
  std::vector<uint32_t> data(65'536 / sizeof(uint32_t), 1), back;
  while (true) {
    EnqueueWriteBuffer(queue, buffer, data, false);
    EnqueueReadBuffer(queue, buffer, back, true);
    detail::WriteToBuffer(*buffer, data);
    detail::ReadFromBuffer(*buffer, back);
    const auto event = std::make_shared<Event>();
    EnqueueRecordEvent(queue, event);
    EventSynchronize(event);
    Program program;
    CreateSemaphore(program, CoreCoord{0, 0}, 1);
    CreateKernelFromString(program, "void kernel_main() {}", CoreCoord{0, 0}, DataMovementConfig{});
    EnqueueProgram(queue, program, false);
    Program direct;
    CreateKernelFromString(direct, "void kernel_main() {}", CoreCoord{1, 0}, DataMovementConfig{});
    detail::LaunchProgram(device, direct);
    const auto semaphore =
        CreateGlobalSemaphore(device, CoreRangeSet(CoreRange({0, 0})), 0, BufferType::L1);
    const auto other = make_buffer(device);
    Finish(queue);
    ++g_rounds;
  }
}

}  // namespace

int main(int, char** argv) {
  const std::string how = argv[1];
  const int rounds = std::atoi(argv[2]);
  IDevice* device = CreateDevice(0, 2);
  const auto wait = [rounds] {
    while (g_rounds < rounds) std::this_thread::yield();
  };
  std::thread([device] { make_calls(device, device->command_queue(1)); }).detach();
  if (how == "main returns") {
    wait();
    return kCode;
  }
  std::thread([&] {
    wait();
    std::exit(kCode);
  }).detach();
  make_calls(device, device->command_queue(0));
}
