// What captured_program_test captures: programs, by name, in which recording could be in the way.
// Each prints what it has found.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/tt_metal.hpp>
#include <vector>

namespace {

using namespace tt::tt_metal;

constexpr CoreCoord kCore{0, 0};

constexpr const char* kStoreTwo = R"(#include "dataflow_api.h"
void kernel_main() {
  auto* words = reinterpret_cast<volatile uint32_t*>(get_arg_val<uint32_t>(0));
  words[0] = get_arg_val<uint32_t>(1);
  words[1] = get_arg_val<uint32_t>(2);
})";

constexpr const char* kWaitForNobody = R"(#include "dataflow_api.h"
void kernel_main() {
  noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg_val<uint32_t>(0)), 77);
})";

std::shared_ptr<Buffer> page_on(IDevice* device, BufferType type) {
  return CreateBuffer(
      InterleavedBufferConfig{.device = device, .size = 64, .page_size = 64, .buffer_type = type});
}

std::shared_ptr<Buffer> page_of(IDevice* device, BufferType type, uint32_t value) {
  auto page = page_on(device, type);
  EnqueueWriteBuffer(device->command_queue(), page, std::vector<uint32_t>(16, value), true);
  return page;
}

KernelHandle add_kernel(Program& program, const char* source) {
  return CreateKernelFromString(program, source, kCore, DataMovementConfig{});
}

uint32_t address_of(const std::shared_ptr<Buffer>& buffer) {
  return static_cast<uint32_t>(buffer->address());
}

std::vector<uint32_t> words_of(const std::shared_ptr<Buffer>& buffer) {
  std::vector<uint32_t> words;
  EnqueueReadBuffer(buffer->device()->command_queue(), buffer, words, true);
  return words;
}

void write_behind_fewer_arguments(IDevice* device) {
  auto page = page_on(device, BufferType::L1);
  Program program;
  const KernelHandle kernel = add_kernel(program, kStoreTwo);
  SetRuntimeArgs(program, kernel, kCore, {address_of(page), 2, 3});
  GetRuntimeArgs(program, kernel, kCore)[2] = 42;
  SetRuntimeArgs(program, kernel, kCore, {address_of(page), 7});
  EnqueueProgram(device->command_queue(), program, false);
  const std::vector<uint32_t> words = words_of(page);
  std::printf("%u %u\n", words[0], words[1]);
}

// The program of a failed launch has ended, its error has not been seen.
void launch_what_fails(IDevice* device, bool blocking) {
  auto never = page_of(device, BufferType::L1, 0);
  Program program;
  SetRuntimeArgs(program, add_kernel(program, kWaitForNobody), kCore, {address_of(never)});
  EnqueueProgram(device->command_queue(), program, blocking);
}

void see_failure(IDevice* device) {
  try {
    Finish(device->command_queue());
    std::printf("nothing failed\n");
  } catch (const std::runtime_error&) {
    std::printf("handled\n");
  }
}

void read_without_waiting_behind_a_failure(IDevice* device) {
  auto page = page_of(device, BufferType::DRAM, 5);
  std::vector<uint32_t> words(16);
  launch_what_fails(device, false);
  EnqueueReadBuffer(device->command_queue(), *page, words.data(), false);
  see_failure(device);
  std::printf("%u\n", words_of(page)[0]);
}

void go_on_after_a_failed_wait(IDevice* device) {
  auto page = page_of(device, BufferType::DRAM, 5);
  launch_what_fails(device, false);
  see_failure(device);
  std::printf("%u\n", words_of(page)[0]);
}

void go_on_after_a_failed_launch(IDevice* device) {
  auto page = page_of(device, BufferType::DRAM, 6);
  try {
    launch_what_fails(device, true);
  } catch (const std::runtime_error&) {
    std::printf("handled\n");
  }
  std::printf("%u\n", words_of(page)[0]);
}

void go_on_after_a_write_that_threw(IDevice* device) {
  auto page = page_on(device, BufferType::DRAM);
  launch_what_fails(device, false);
  try {
    EnqueueWriteBuffer(device->command_queue(), page, std::vector<uint32_t>(16, 8), true);
  } catch (const std::runtime_error&) {
    std::printf("handled\n");
  }
  std::printf("%u\n", words_of(page)[0]);  // it was written all the same
}

// The blocking write waits for what another thread does behind it.
void write_while_a_write_waits(IDevice* device) {
  auto page = page_on(device, BufferType::DRAM);
  auto event = std::make_shared<Event>();
  EnqueueWaitForEvent(device->command_queue(0), event);
  std::thread other([&] {
    usleep(100'000);
    EnqueueRecordEvent(device->command_queue(1), event);
  });
  EnqueueWriteBuffer(device->command_queue(0), page, std::vector<uint32_t>(16, 1), true);
  other.join();
  std::printf("%u\n", words_of(page)[0]);
}

void write_own_file_after_closing_all(IDevice* device) {
  auto page = page_on(device, BufferType::DRAM);
  closefrom(3);
  const int file = open("own.txt", O_CREAT | O_TRUNC | O_WRONLY, 0644);
  const bool hello = write(file, "hello\n", 6) == 6;
  EnqueueWriteBuffer(device->command_queue(), page, std::vector<uint32_t>(16, 1), true);
  const bool world = write(file, "world\n", 6) == 6;
  std::printf("%d %d\n", hello, world);
}

int query_after_close(IDevice* device) {
  auto event = std::make_shared<Event>();
  EnqueueRecordEvent(device->command_queue(), event);
  CloseDevice(device);
  std::printf("%d\n", EventQuery(event));
  return 0;
}

// One thread makes commands, another the only handles of what the snapshots find.
void end_handles_during_snapshots(IDevice* device) {
  const CoreRangeSet cores(CoreRange({0, 0}, {7, 7}));
  std::vector<GlobalSemaphore> kept;
  for (uint32_t i = 0; i < 60; ++i) kept.push_back(CreateGlobalSemaphore(device, cores, i));
  std::atomic<bool> done = false;
  std::thread other([&] {
    while (!done) CreateGlobalSemaphore(device, cores, 1);
  });
  Program program;
  const KernelHandle kernel = add_kernel(program, kStoreTwo);
  std::vector<uint32_t> words(300);
  for (words[0] = 0; words[0] < 20'000; ++words[0]) SetRuntimeArgs(program, kernel, kCore, words);
  done = true;
  other.join();
}

// Ends after main, and after what the library does at the exit of a process.
struct {
  std::shared_ptr<distributed::MeshDevice> mesh;
  std::shared_ptr<distributed::MeshBuffer> page;
  distributed::MeshWorkload workload;
} kept_to_the_end;

int leave_a_mesh_open() {
  auto& [mesh, page, workload] = kept_to_the_end;
  mesh = distributed::MeshDevice::create_unit_mesh(0);
  page =
      distributed::MeshBuffer::create(distributed::ReplicatedBufferConfig{.size = 64},
                                      {.page_size = 64, .buffer_type = BufferType::L1}, mesh.get());
  Program program = CreateProgram();
  const KernelHandle kernel = add_kernel(program, kStoreTwo);
  SetRuntimeArgs(program, kernel, kCore, {static_cast<uint32_t>(page->address()), 2, 3});
  workload.add_program(distributed::MeshCoordinateRange(mesh->shape()), std::move(program));
  distributed::EnqueueMeshWorkload(mesh->mesh_command_queue(), workload, false);
  std::vector<uint32_t> words;
  distributed::EnqueueReadMeshBuffer(mesh->mesh_command_queue(), words, page);
  std::printf("%u %u\n", words[0], words[1]);
  return 0;
}

}  // namespace

int main(int, char** argv) {
  const std::string what = argv[1];
  if (what == "ChangeFolder" && chdir("elsewhere") != 0) return 1;
  if (what == "LeaveAMeshOpen") return leave_a_mesh_open();
  IDevice* device = CreateDevice(0, 2);
  if (what == "QueryAfterClose") return query_after_close(device);
  if (what == "WriteBehindFewerArguments") write_behind_fewer_arguments(device);
  if (what == "ReadWithoutWaitingBehindAFailure") read_without_waiting_behind_a_failure(device);
  if (what == "GoOnAfterAFailedWait") go_on_after_a_failed_wait(device);
  if (what == "GoOnAfterAFailedLaunch") go_on_after_a_failed_launch(device);
  if (what == "GoOnAfterAWriteThatThrew") go_on_after_a_write_that_threw(device);
  if (what == "WriteWhileAWriteWaits") write_while_a_write_waits(device);
  if (what == "WriteOwnFileAfterClosingAll") write_own_file_after_closing_all(device);
  if (what == "EndHandlesDuringSnapshots") end_handles_during_snapshots(device);
  CloseDevice(device);
  return 0;
}
