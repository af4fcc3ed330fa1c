// What the tests of LIGHTMETAL_CAPTURE capture: small programs, by name, that know nothing of it.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <lightmetal/capture.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <tt-metalium/host_api.hpp>
#include <vector>

namespace {

using namespace tt::tt_metal;

std::shared_ptr<Buffer> page_on(IDevice* device) {
  return CreateBuffer(InterleavedBufferConfig{.device = device, .size = 64, .page_size = 64});
}

int whole() {
  Program before_any_device;
  IDevice* device = CreateDevice(0);
  {
    auto buffer = page_on(device);
    std::vector<uint32_t> data;
    EnqueueReadBuffer(device->command_queue(), buffer, data, true);
  }
  CloseDevice(device);
  return 0;
}

int leave_open() {
  static std::shared_ptr<Buffer> kept = page_on(CreateDevice(0));
  static Program program = CreateProgram();
  return 7;
}

int fail_in_a_call() {
  IDevice* device = CreateDevice(0);
  {
    auto buffer = page_on(device);
    std::vector<uint32_t> data(16, 7);
    EnqueueWriteBuffer(device->command_queue(), buffer, data, false);
    try {
      EventSynchronize(std::make_shared<Event>());  // recorded on no queue
      return 1;
    } catch (const std::runtime_error&) {
    }
    EnqueueReadBuffer(device->command_queue(), buffer, data, true);
  }
  CloseDevice(device);
  return 0;
}

int print_pid() {
  static Program* leaked = new Program;
  std::printf("%d", getpid());
  return leaked == nullptr;
}

// Captures in the middle of its work: to the file OWN_CAPTURE, and into memory.
int own_capture() {
  const char* const own = std::getenv("OWN_CAPTURE");
  Program before;
  const KernelHandle kernel = CreateKernelFromString(before, "void kernel_main() {}",
                                                     CoreCoord(0, 0), DataMovementConfig{});
  SetRuntimeArgs(before, kernel, CoreCoord(0, 0), {1, 2});
  IDevice* device = CreateDevice(0);
  {
    auto buffer = page_on(device);
    std::vector<uint32_t> data(16, 7);
    EnqueueProgram(device->command_queue(), before, true);
    EnqueueWriteBuffer(device->command_queue(), buffer, data, true);
    if (own != nullptr) LightMetalBeginCapture({.path = own, .read_goldens = true});
    Program inside;
    EnqueueProgram(device->command_queue(), before, false);
    EnqueueReadBuffer(device->command_queue(), buffer, data, true);
    if (own != nullptr) LightMetalEndCapture();
    auto second = page_on(device);
    if (own != nullptr) LightMetalBeginCapture();
    EnqueueWriteBuffer(device->command_queue(), second, data, true);
    if (own != nullptr) std::printf("in memory: %d\n", LightMetalEndCapture().size() > 0);
  }
  CloseDevice(device);
  return 0;
}

int fork_child() {
  { Program program; }
  const pid_t child = fork();
  if (child == 0) {
    { Program in_child; }
    std::exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  { Program program; }
  return status;
}

int die() {
  auto buffer = page_on(CreateDevice(0));
  std::raise(SIGKILL);
  return 0;
}

}  // namespace

int main(int, char** argv) {
  const std::string what = argv[1];
  if (what == "whole") return whole();
  if (what == "leave open") return leave_open();
  if (what == "fail in a call") return fail_in_a_call();
  if (what == "print pid") return print_pid();
  if (what == "own capture") return own_capture();
  if (what == "fork") return fork_child();
  if (what == "die") return die();
  return what != "nothing";
}
