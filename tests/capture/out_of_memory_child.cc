// A program in which one allocation of the capture fails: the one of the number that its argument
// says, counted from 1. Prints "failed" when that happens, and ends with 7.
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <tt-metalium/host_api.hpp>
#include <vector>

#include "capture/recorder.h"

namespace {

std::atomic<int64_t> g_left = 0;  // allocations of the capture up to the one that fails

void* allocate(size_t size, size_t alignment) {
  if (lightmetal::capture::internal::is_recording() && g_left > 0 && --g_left == 0) {
    constexpr char kText[] = "failed";
    if (::write(STDOUT_FILENO, kText, sizeof(kText) - 1) < 0) std::abort();
    return nullptr;
  }
  const size_t rounded = (size + alignment - 1) / alignment * alignment;
  return alignment <= alignof(std::max_align_t) ? std::malloc(size == 0 ? 1 : size)
                                                : std::aligned_alloc(alignment, rounded);
}

void* allocate_or_throw(size_t size, size_t alignment) {
  if (void* memory = allocate(size, alignment)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(size_t size) { return allocate_or_throw(size, 1); }
void* operator new[](size_t size) { return allocate_or_throw(size, 1); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return allocate(size, 1); }
void* operator new[](size_t size, const std::nothrow_t&) noexcept { return allocate(size, 1); }
void* operator new(size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<size_t>(alignment));
}
void* operator new[](size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<size_t>(alignment));
}
// GCC takes the functions above for its own where it has inlined them.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }

namespace {

using namespace tt::tt_metal;

// As many objects and payloads of one kind as make each table of a capture grow several times.
void use_the_api() {
  IDevice* device = CreateDevice(0);
  CommandQueue& queue = device->command_queue();
  std::vector<std::shared_ptr<Buffer>> buffers;
  for (uint32_t i = 0; i < 20; ++i) {
    buffers.push_back(CreateBuffer(
        InterleavedBufferConfig{.device = device, .size = 128 << 10, .page_size = 4096}));
    std::vector<uint32_t> data((128 << 10) / sizeof(uint32_t), i), back;
    EnqueueWriteBuffer(queue, buffers.back(), data, false);
    EnqueueReadBuffer(queue, buffers.back(), back, true);
    auto event = std::make_shared<Event>();
    EnqueueRecordEvent(queue, event);
    EventSynchronize(event);
  }
  for (int i = 0; i < 600; ++i) Finish(queue);
  Program program;
  const KernelHandle kernel =
      CreateKernelFromString(program, "void kernel_main() {}", CoreCoord{0, 0}, {});
  SetRuntimeArgs(program, kernel, CoreCoord{0, 0}, std::vector<uint32_t>(300, 1));
  EnqueueProgram(queue, program, false);
  Finish(queue);
  buffers.clear();
  CloseDevice(device);
}

}  // namespace

int main(int, char** argv) {
  g_left = std::atoll(argv[1]);
  use_the_api();
  return 7;
}
