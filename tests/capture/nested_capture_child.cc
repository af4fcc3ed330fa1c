// What nested_capture_test captures: programs, by name, that capture themselves in the middle of
// their work, to files in the folder OWN_CAPTURES ("." for names alone). Without it they make the
// same calls and capture nothing. Each prints what it has computed.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <barrier>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <lightmetal/capture.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/tt_metal.hpp>
#include <vector>

#include "tests/support/accumulating_program.h"

namespace {

using namespace tt::tt_metal;
using lightmetal::CaptureOptions;
using lightmetal::testing::AccumulatingProgram;
using lightmetal::testing::counting_buffer;
using lightmetal::testing::words_in;

const char* const kFolder = std::getenv("OWN_CAPTURES");

void begin_own(const std::string& name, CaptureOptions options = {.read_goldens = true}) {
  if (kFolder == nullptr) return;
  const std::string folder = kFolder;
  options.path = folder == "." ? name : folder + "/" + name;
  LightMetalBeginCapture(options);
}

void end_own() {
  if (kFolder != nullptr) LightMetalEndCapture();
}

// Of a capture into memory.
void end_own_as(const std::string& name) {
  if (kFolder == nullptr) return;
  LightMetalEndCapture().save_to_file(std::string(kFolder) + "/" + name);
}

void end_own_with_error() {
  if (kFolder == nullptr) return;
  try {
    LightMetalEndCapture();
    std::fprintf(stderr, "it has no error\n");
  } catch (const std::runtime_error& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
}

void print(const std::shared_ptr<Buffer>& buffer) { std::printf("%u\n", words_in(buffer)[1]); }

// Three captures one after the other, each of another kind, with objects alive and between their
// ends.
void one_after_the_other(IDevice* device) {
  CommandQueue& cq = device->command_queue();
  auto buffer = counting_buffer(device, 2);
  AccumulatingProgram program(buffer);
  const auto semaphore = CreateGlobalSemaphore(device, CoreRange({0, 0}, {1, 0}), 3);
  auto event = std::make_shared<Event>();
  EnqueueProgram(cq, program.program, true);
  EnqueueRecordEvent(cq, event);

  begin_own("first.lmb");
  EnqueueWaitForEvent(cq, event);
  EnqueueProgram(cq, program.program, false);
  auto inside = counting_buffer(device, 1);
  print(buffer);
  end_own();

  inside.reset();
  EnqueueProgram(cq, program.program, false);
  AccumulatingProgram young(buffer, {0, 1});

  begin_own("second.lmb", {.compress = 3});
  semaphore.reset_semaphore_value(4);
  EnqueueProgram(cq, young.program, false);
  std::vector<uint32_t> unblocked(32);
  EnqueueReadBuffer(cq, buffer, unblocked.data(), false);
  Finish(cq);
  std::printf("%u\n", unblocked[1]);
  end_own();

  if (kFolder != nullptr) LightMetalBeginCapture({.read_goldens = true});
  EnqueueProgram(cq, young.program, true);
  event.reset();
  print(buffer);
  end_own_as("third.lmb");
  print(buffer);
}

// Words that were written through references and have not been launched with when a capture begins.
void references(IDevice* device) {
  CommandQueue& cq = device->command_queue();
  auto buffer = counting_buffer(device, 1);
  AccumulatingProgram program(buffer);
  EnqueueProgram(cq, program.program, true);
  RuntimeArgsData& args = GetRuntimeArgs(program.program, program.kernel, CoreCoord(0, 0));
  args[1] = 100;
  begin_own("own.lmb");
  EnqueueProgram(cq, program.program, false);
  print(buffer);
  args[1] = 1000;
  EnqueueProgram(cq, program.program, false);
  print(buffer);
  args[1] = 5;
  end_own();
  EnqueueProgram(cq, program.program, false);
  print(buffer);
}

// Device traces from before and of a capture, and one in which none can begin.
void traces(IDevice* device) {
  CommandQueue& cq = device->command_queue();
  auto buffer = counting_buffer(device, 1);
  AccumulatingProgram program(buffer);
  EnqueueProgram(cq, program.program, true);
  const auto traced = [&](bool tries_to_begin) {
    const uint32_t trace = BeginTraceCapture(device, 0);
    try {
      if (tries_to_begin) begin_own("refused.lmb");
    } catch (const std::runtime_error& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    EnqueueProgram(cq, program.program, false);
    EndTraceCapture(device, 0, trace);
    return trace;
  };
  const uint32_t before = traced(true);
  begin_own("own.lmb");
  EnqueueTrace(cq, before, false);
  const uint32_t inside = traced(false);
  EnqueueTrace(cq, inside, false);
  print(buffer);
  ReleaseTrace(device, before);
  end_own();
  ReplayTrace(device, 0, inside, true);
  print(buffer);
}

// A capture that begins on one manager of sub-devices and ends on another.
void sub_devices(IDevice* device) {
  CommandQueue& cq = device->command_queue();
  auto buffer = counting_buffer(device, 1), other = counting_buffer(device, 1);
  const std::array left_cores = {CoreRangeSet(CoreRange({0, 0}, {1, 0}))};
  const std::array right_cores = {CoreRangeSet(CoreRange({2, 0}, {3, 0}))};
  const auto both =
      device->create_sub_device_manager({SubDevice(left_cores), SubDevice(right_cores)}, 4096);
  const auto one = device->create_sub_device_manager({SubDevice(left_cores)}, 1024);
  AccumulatingProgram left(buffer), right(other, {2, 0});
  device->load_sub_device_manager(both);
  EnqueueProgram(cq, left.program, false);
  begin_own("own.lmb");
  EnqueueProgram(cq, right.program, false);
  EnqueueProgram(cq, left.program, false);
  Finish(cq, {SubDeviceId{0}, SubDeviceId{1}});
  print(other);
  device->load_sub_device_manager(one);
  EnqueueProgram(cq, left.program, false);
  print(buffer);
  end_own();
  device->clear_loaded_sub_device_manager();
  device->remove_sub_device_manager(both);
  EnqueueProgram(cq, right.program, true);
  print(other);
}

// Two threads with a queue each, which both work before, in and between the captures; one begins
// them and the other one ends them.
void two_threads(IDevice* device) {
  std::barrier pause(2);
  const auto work = [&](uint8_t number) {
    CommandQueue& cq = device->command_queue(number);
    auto buffer = counting_buffer(device, 1);
    std::vector<uint32_t> words;
    for (int phase = 0; phase < 5; ++phase) {
      AccumulatingProgram program(buffer, {0, number});
      for (int i = 0; i < 5; ++i) {
        EnqueueProgram(cq, program.program, i % 2 == 0);
        EnqueueReadBuffer(cq, buffer, words, true);
      }
      pause.arrive_and_wait();
      if (phase % 2 == 0 && number == 0) begin_own("own" + std::to_string(phase) + ".lmb");
      if (phase % 2 == 1 && number == 1) end_own();
      pause.arrive_and_wait();
    }
    if (number == 1) end_own();
  };
  std::thread second(work, uint8_t{1});
  work(0);
  second.join();
}

// A wait that has begun, been announced where that is asked for, and throws.
void wait_for_failed_launch(CommandQueue& cq) {
  Program faulty;
  CreateKernelFromString(faulty, "void kernel_main() { *(volatile unsigned*)0xf0000000 = 1; }",
                         CoreCoord(0, 0), DataMovementConfig{});
  const auto event = std::make_shared<Event>();
  EnqueueProgram(cq, faulty, false);
  EnqueueRecordEvent(cq, event);
  EventSynchronize(event);
}

// Calls that throw before they have begun, and after that.
void failing_call(IDevice* device) {
  auto buffer = counting_buffer(device, 1);
  AccumulatingProgram program(buffer);
  const char* const intents = std::getenv("OWN_INTENTS");
  begin_own("own.lmb", {.read_goldens = true, .intents = intents != nullptr});
  EnqueueProgram(device->command_queue(), program.program, true);
  try {
    EventSynchronize(std::make_shared<Event>());  // recorded in no queue
  } catch (const std::runtime_error&) {
  }
  try {
    wait_for_failed_launch(device->command_queue());
  } catch (const std::runtime_error& error) {
    std::printf("%s\n", error.what());
  }
  print(buffer);
  end_own();
}

// A program with a circular buffer in memory that is gone while no device is open is in no
// snapshot.
Program program_for_no_snapshot() {
  IDevice* const closed = CreateDevice(1);
  auto memory = CreateBuffer(InterleavedBufferConfig{
      .device = closed, .size = 64, .page_size = 64, .buffer_type = BufferType::L1});
  Program program = CreateProgram();
  CreateCircularBuffer(
      program, CoreCoord(0, 0),
      CircularBufferConfig(64, {{0, tt::DataFormat::UInt32}}, *memory).set_page_size(0, 64));
  memory.reset();
  CloseDevice(closed);
  return program;
}

void what_the_snapshot_lacks() {
  Program lost = program_for_no_snapshot();
  begin_own("own.lmb");
  CreateSemaphore(lost, CoreRange({0, 0}), 0);
  IDevice* device = CreateDevice(0);
  print(counting_buffer(device, 1));
  end_own_with_error();
  CloseDevice(device);
}

// A capture in memory that is to go on in a temporary file, and there is no room for one.
void no_room(IDevice* device) {
  auto buffer = counting_buffer(device, 1);
  if (kFolder != nullptr) LightMetalBeginCapture({.memory_limit = 4096});
  setenv("TMPDIR", "/no/such/folder", 1);
  auto large = CreateBuffer(
      InterleavedBufferConfig{.device = device, .size = 1 << 16, .page_size = 1 << 16});
  std::vector<uint32_t> words((1 << 16) / sizeof(uint32_t));
  for (size_t i = 0; i < words.size(); ++i) words[i] = static_cast<uint32_t>(i * 2654435761u);
  EnqueueWriteBuffer(device->command_queue(), large, words, true);
  print(large);
  end_own_with_error();
  print(buffer);
}

// More than a flight recorder of 128 KiB holds, before, in and after the capture.
void much(IDevice* device) {
  constexpr uint32_t kBytes = 2048;
  auto buffer =
      CreateBuffer(InterleavedBufferConfig{.device = device, .size = kBytes, .page_size = kBytes});
  auto counted = counting_buffer(device, 1);
  AccumulatingProgram program(counted);
  uint32_t value = 0;
  const auto work = [&] {
    for (int i = 0; i < 100; ++i) {
      std::vector<uint32_t> words(kBytes / sizeof(uint32_t), ++value * 2654435761u);
      EnqueueWriteBuffer(device->command_queue(), buffer, words, false);
      EnqueueProgram(device->command_queue(), program.program, false);
      EnqueueReadBuffer(device->command_queue(), buffer, words, true);
    }
  };
  const bool own_ring = std::getenv("OWN_RING") != nullptr;
  work();
  begin_own("own.lmb", {.read_goldens = true, .ring_size = own_ring ? 128 * 1024u : 0});
  work();
  const char* const signal = std::getenv("OWN_SIGNAL");
  if (signal != nullptr) std::raise(std::stoi(signal));
  print(counted);
  end_own();
  work();
  print(counted);
}

// What the process forks in the middle of its capture captures itself.
int forked() {
  begin_own("own.lmb");
  { Program program; }
  if (const pid_t child = fork(); child != 0) {
    int status = 0;
    waitpid(child, &status, 0);
    { Program program; }
    end_own();
    return status;
  }
  begin_own("childs.lmb");
  { Program program; }
  end_own();
  _exit(0);
}

// A capture before anything else.
int at_once() {
  begin_own("own.lmb");
  { Program program; }
  end_own();
  return 0;
}

// The device is closed once nothing lives on it.
int with_device(void (*program)(IDevice*), uint8_t queues = 1) {
  IDevice* const device =
      CreateDevice(0, queues, DEFAULT_L1_SMALL_SIZE, /*trace_region_size=*/1 << 20);
  program(device);
  CloseDevice(device);
  return 0;
}

}  // namespace

int main(int, char** argv) {
  const std::string what = argv[1];
  if (what == "one after the other") return with_device(one_after_the_other);
  if (what == "references") return with_device(references);
  if (what == "traces") return with_device(traces);
  if (what == "sub-devices") return with_device(sub_devices);
  if (what == "two threads") return with_device(two_threads, 2);
  if (what == "failing call") return with_device(failing_call);
  if (what == "no room") return with_device(no_room);
  if (what == "much") return with_device(much);
  if (what == "forked") return forked();
  if (what == "at once") return at_once();
  if (what == "what the snapshot lacks") return what_the_snapshot_lacks(), 0;
  return 1;
}
