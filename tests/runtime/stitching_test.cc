// Files that processes of their own have captured, run one behind the other on one device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <lightmetal/executable.hpp>
#include <lightmetal/replay.hpp>
#include <lightmetal/runtime.hpp>
#include <memory>
#include <sstream>
#include <string>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/mesh_trace.hpp>
#include <vector>

#include "schema/file/reader.h"
#include "tests/runtime/tensor_kit.h"
#include "tests/support/linked_device.h"
#include "tests/support/process.h"

namespace lightmetal::runtime::stitching {
namespace {

namespace tm = tt::tt_metal;

using namespace lightmetal::testing;
using FilePointer = std::shared_ptr<const schema::File>;
using ExecutablePointer = std::shared_ptr<Executable>;

constexpr uint32_t kRecorded = 5;  // x counts up from there where a run gives it no value

struct Captured {
  FilePointer file;
  Words result;  // as the process that captured the file has read it
};

// Captures stages in a process of its own, whose buffers begin behind `offset`, on the device that
// `backend` says.
Captured captured(const std::string& offset, const std::vector<std::string>& stages,
                  const std::string& backend = "cpu") {
  const TemporaryFolder folder;
  std::vector<std::string> command = {LIGHTMETAL_CAPTURE_STAGES, folder.path("stages.lmb"),
                                      std::to_string(kRecorded)};
  command.insert(command.end(), stages.begin(), stages.end());
  const ProcessResult child = run_process(
      command,
      {.environment = {{"LIGHTMETAL_ALLOCATOR_OFFSET", offset}, {"LIGHTMETAL_DEVICE", backend}}});
  EXPECT_EQ(child.exit_code, 0) << child.errors;
  Captured captured{value_of(schema::File::open(folder.path("stages.lmb"))), {}};
  std::istringstream printed(child.output);
  for (uint32_t word = 0; printed >> word;) captured.result.push_back(word);
  return captured;
}

// y = 3 * x + (1000, ...), then y = 5 * x + (7, ...), then y = 2 * x + w with a weight of the
// caller's; each for itself, and all as one program. They lie beside each other on one device.
// Kernels take their addresses as plain words, so a tensor is copied into the buffer of the input.
struct Files {
  explicit Files(const std::string& backend = "cpu")
      : first(captured("0", {"3:1000"}, backend)),
        second(captured("64K", {"5:7"}, backend)),
        third(captured("128K", {"2:in"}, backend)),
        composed(captured("192K", {"3:1000", "5:7", "2:in"}, backend)) {}

  const Captured first, second, third, composed;
};

const Files& files() {
  static const Files& files = *new Files;
  return files;
}

// The files on a device.
struct Loaded {
  explicit Loaded(const std::string& backend = "cpu", const Files& of = files())
      : device(value_of(Device::open(*of.first.file, backend))),
        first(value_of(device.load(of.first.file))),
        second(value_of(device.load(of.second.file))),
        third(value_of(device.load(of.third.file))),
        composed(value_of(device.load(of.composed.file))) {}

  std::vector<Tensor> run(const ExecutablePointer& executable, std::vector<Tensor> inputs) const {
    return value_of(submit(device, executable, "run", std::move(inputs)));
  }
  // The three one behind the other.
  Tensor stitched(const Tensor& x, const Tensor& w) const {
    return run(third, {run(second, run(first, {x}))[0], w})[0];
  }
  Words of_composed(const Words& x, const Words& w) const {
    // In the order of the file: x, then the weights that are inputs.
    return words_of(run(composed, {host_tensor(x), host_tensor(w)})[0]);
  }

  const Device device;
  const ExecutablePointer first, second, third, composed;
};

// What the host computes.
Words golden(const Words& x, const Words& w) {
  return scaled(scaled(scaled(x, 3, counting(1000)), 5, counting(7)), 2, w);
}

// ---- Stitched and composed ----

//
TEST(Stitching, FilesOfSeveralProcessesGiveWhatTheComposedProgramGives) {
  const Loaded loaded;
  for (const uint32_t i : {0u, 1u, 77u, 0xfffffff0u}) {
    const Words x = counting(i), w = counting(3 * i);
    const Words result = words_of(loaded.stitched(host_tensor(x), host_tensor(w)));
    EXPECT_EQ(result, golden(x, w));
    EXPECT_EQ(result, loaded.of_composed(x, w));
  }
  // The process that captured the composed program has read the same.
  const Words zeros(kWords, 0);
  EXPECT_EQ(words_of(loaded.stitched(host_tensor(counting(kRecorded)), host_tensor(zeros))),
            files().composed.result);
}

//
TEST(Stitching, ARetainedWeightIsUploadedOnceForManyRunsOfAChain) {
  Link link;
  register_linked_device("linked", link);
  const Loaded loaded("linked");
  const Words w = counting(40);
  Tensor weight = uploaded(loaded.device, *loaded.third, 1, w);
  weight.set_retain(true);
  constexpr uint32_t kRuns = 100;
  const uint64_t before = link.counts().bytes_to_device;
  const Stats stats = loaded.device.stats();
  for (uint32_t i = 0; i < kRuns; ++i) {
    const Words x = counting(i);
    ASSERT_EQ(words_of(loaded.stitched(host_tensor(x), weight)), golden(x, w)) << i;
    deallocate(weight);
  }
  EXPECT_TRUE(weight.is_allocated());
  // Nothing but x goes to the device, by what the runtime counts and by what the link carries.
  EXPECT_EQ(link.counts().bytes_to_device, before + kRuns * kWords * 4);
  EXPECT_EQ(loaded.device.stats().host_to_device_bytes,
            stats.host_to_device_bytes + kRuns * kWords * 4);
}

// ---- No way over the host ----

//
TEST(Stitching, NothingGoesOverTheHostBetweenTwoSubmits) {
  Link link;
  register_linked_device("linked", link);
  const Loaded loaded("linked");
  const Words x = counting(11), w = counting(2);
  const Tensor input = uploaded(loaded.device, *loaded.first, 0, x);
  const Tensor weight = uploaded(loaded.device, *loaded.third, 1, w);
  // The first run of an entry reads its inputs, to find those that kernels write to.
  ASSERT_EQ(words_of(loaded.stitched(input, weight)), golden(x, w));
  const Stats before = loaded.device.stats();
  const LinkCounts carried = link.counts();
  const Tensor result = loaded.stitched(input, weight);
  // A device's copy of the result is behind the runs.
  const Tensor copy = value_of(allocateOutputTensor(loaded.device, *loaded.third, 0));
  ASSERT_TRUE(wait(toLayout(copy, result)).ok());
  const Stats after = loaded.device.stats();
  EXPECT_EQ(after.host_to_device_bytes, before.host_to_device_bytes);
  EXPECT_EQ(after.device_to_host_bytes, before.device_to_host_bytes);
  EXPECT_EQ(after.host_round_trips, 0u);
  EXPECT_EQ(after.device_copies, before.device_copies + 8);  // seven for the runs, and `copy`
  EXPECT_EQ(after.device_copied_bytes, before.device_copied_bytes + 8 * kWords * 4);
  EXPECT_EQ(link.counts().bytes_to_device, carried.bytes_to_device);
  EXPECT_EQ(link.counts().bytes_to_host, carried.bytes_to_host);
  EXPECT_GT(link.counts().launches, carried.launches);
  EXPECT_EQ(words_of(copy), golden(x, w));
  EXPECT_EQ(link.counts().bytes_to_host, carried.bytes_to_host + kWords * 4);
}

//
TEST(Stitching, MemoryOfTheHostThatWasUploadedIsReadNoMore) {
  const Loaded loaded;
  const Words x = counting(21), w = counting(9);
  Words memory_of_x = x, memory_of_w = w;
  const auto borrowed = [](Words& memory) {
    return value_of(createBorrowedHostTensor(bytes_in(memory), kShape, TensorType::UInt32));
  };
  const Tensor input = value_of(allocateInputTensor(loaded.device, *loaded.first, 0));
  const Tensor weight = value_of(allocateInputTensor(loaded.device, *loaded.third, 1));
  ASSERT_TRUE(wait(toLayout(input, borrowed(memory_of_x))).ok());
  ASSERT_TRUE(wait(toLayout(weight, borrowed(memory_of_w))).ok());
  const std::vector<Tensor> between = loaded.run(loaded.first, {input});
  Words copy = words_of(between[0]);
  for (Words* words : {&memory_of_x, &memory_of_w, &copy}) std::ranges::fill(*words, 0xdeadbeef);
  const Tensor result =
      loaded.run(loaded.third, {loaded.run(loaded.second, between)[0], weight})[0];
  EXPECT_EQ(words_of(result), golden(x, w));
  // The next upload of that memory does change the result.
  ASSERT_TRUE(wait(toLayout(weight, borrowed(memory_of_w))).ok());
  EXPECT_NE(words_of(loaded.stitched(input, weight)), golden(x, w));
}

// ---- Every backend ----

//
TEST(Stitching, ABackendThatCannotCopyGoesOverTheHostAndSaysSo) {
  Link link;
  register_linked_device("without_copy", link, /*can_copy=*/false);
  const Loaded loaded("without_copy");
  const Words x = counting(31), w = counting(8);
  const Tensor input = uploaded(loaded.device, *loaded.first, 0, x);
  const Tensor weight = uploaded(loaded.device, *loaded.third, 1, w);
  const LinkCounts before = link.counts();
  const Tensor result = loaded.stitched(input, weight);
  EXPECT_EQ(words_of(result), golden(x, w));
  EXPECT_EQ(link.counts().copies, 0u);
  EXPECT_GT(link.counts().bytes_to_device, before.bytes_to_device);
  const Stats stats = loaded.device.stats();
  EXPECT_EQ(stats.device_copies, 0u);
  EXPECT_EQ(stats.host_round_trips, 7u);  // of three runs, with one, one and two inputs
}

// A run after the first one reads only what it copies, so the counters agree with the link.
TEST(Stitching, WhatGoesOverTheHostIsCounted) {
  Link link;
  register_linked_device("without_copy", link, /*can_copy=*/false);
  const Loaded loaded("without_copy");
  const Words x = counting(31), w = counting(8);
  const Tensor input = uploaded(loaded.device, *loaded.first, 0, x);
  const Tensor weight = uploaded(loaded.device, *loaded.third, 1, w);
  ASSERT_TRUE(wait(loaded.stitched(input, weight)).ok());
  const Stats before = loaded.device.stats();
  const LinkCounts carried = link.counts();
  const Tensor result = loaded.stitched(input, weight);
  const TensorDesc tiles{kShape, TensorType::UInt32, TensorOrder::Tile};
  const Tensor copy = value_of(allocateOutputTensor(loaded.device, *loaded.third, 0)),
               converted = value_of(createEmptyTensor(
                   loaded.device, value_of(Layout::of(tiles, Location::DeviceDRAM)), kShape));
  ASSERT_TRUE(wait({toLayout(copy, result), toLayout(converted, result)}).ok());
  const Stats after = loaded.device.stats();
  EXPECT_EQ(after.host_round_trips, before.host_round_trips + 9);
  EXPECT_EQ(after.relayouts, before.relayouts + 1);
  EXPECT_EQ(after.device_copies, 0u);
  EXPECT_EQ(after.device_copied_bytes, 0u);
  // The zeros of padding go over the link, and are counted by themselves.
  EXPECT_EQ(after.cleared_bytes - before.cleared_bytes, 4096u);
  EXPECT_EQ(after.host_to_device_bytes - before.host_to_device_bytes + 4096,
            link.counts().bytes_to_device - carried.bytes_to_device);
  EXPECT_EQ(after.device_to_host_bytes - before.device_to_host_bytes,
            link.counts().bytes_to_host - carried.bytes_to_host);
  EXPECT_EQ(words_of(copy), golden(x, w));
  EXPECT_EQ(words_of(converted), golden(x, w));
}

// a backend of a library outside of the project, whose kernels are functions of its own. The
// program that is captured and the one that stitches are those of the other tests.
TEST(Stitching, ABackendOfALibraryGivesWhatTheOthersGive) {
  const Files of_library(LIGHTMETAL_PAGED_MEMORY);
  EXPECT_EQ(of_library.composed.result, files().composed.result);
  const Loaded loaded(LIGHTMETAL_PAGED_MEMORY, of_library);
  const Words x = counting(17), w = counting(4);
  const Words result = words_of(loaded.stitched(host_tensor(x), host_tensor(w)));
  EXPECT_EQ(result, golden(x, w));
  EXPECT_EQ(result, loaded.of_composed(x, w));
  EXPECT_GT(loaded.device.stats().host_round_trips, 0u);
}

// ---- Alone, and again and again ----

//
TEST(Stitching, AFileAloneComputesWhatItsProcessHasComputed) {
  ASSERT_EQ(files().first.result, scaled(counting(kRecorded), 3, counting(1000)));
  for (const Captured* captured : {&files().first, &files().second, &files().composed}) {
    const auto replay = value_of(Replay::load(captured->file));
    const ReplayResult result = value_of(replay->run());
    EXPECT_EQ(result.goldens_checked, 1u);
    EXPECT_TRUE(result.matches());
    const Device device = value_of(Device::open(*captured->file));
    const auto executable = value_of(device.load(captured->file));
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(words_of(value_of(submit(device, executable, "run", {}))[0]), captured->result);
      // A run with a value of its own leaves no trace.
      EXPECT_NE(
          words_of(value_of(submit(device, executable, "run", {host_tensor(counting(90))}))[0]),
          captured->result);
    }
  }
}

// How many buffers, programs and traces the process has made, and kernels and plans the device has
// seen.
struct Made {
  Made(const Device& device, const Link& link)
      : buffers(scaled_buffer(device.handle(), 1)->unique_id()),
        programs(tm::CreateProgram().get_id()),
        traces(*tm::distributed::MeshTrace::next_id()),
        kernels(link.counts().kernels),
        plans(link.counts().plans) {}

  uint64_t buffers, programs, traces, kernels, plans;
};

//
TEST(Stitching, ThousandRunsMakeNothingAfterTheFirst) {
  Link link;
  register_linked_device("linked", link);
  for (const std::vector<std::string>& stages :
       {std::vector<std::string>{"3:1000", "5:7"}, {"--trace", "3:1000", "5:7"}}) {
    const Captured two_stages = captured("0", stages);
    const Device device = value_of(Device::open(*two_stages.file, "linked"));
    const auto executable = value_of(device.load(two_stages.file));
    Tensor input = value_of(allocateInputTensor(device, *executable, 0));
    Tensor output = value_of(allocateOutputTensor(device, *executable, 0));
    const auto run = [&](uint32_t i) {
      toLayout(input, host_tensor(counting(i)));
      submit(device, executable, "run", {input}, {output});
      ASSERT_EQ(words_of(output), scaled(scaled(counting(i), 3, counting(1000)), 5, counting(7)));
    };
    run(0);
    const Made first(device, link), second(device, link);
    EXPECT_EQ(second.buffers, first.buffers + 1);  // the one that asks
    for (uint32_t i = 1; i < 1000; ++i) run(i);
    const Made last(device, link);
    EXPECT_EQ(last.buffers, second.buffers + 1);
    EXPECT_EQ(last.programs, second.programs + 1);
    EXPECT_EQ(last.traces, second.traces + 1);
    EXPECT_EQ(last.kernels, first.kernels);
    EXPECT_EQ(last.plans, first.plans);
    EXPECT_GE(link.counts().launches, 2000u);
  }
}

}  // namespace
}  // namespace lightmetal::runtime::stitching
