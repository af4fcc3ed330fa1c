// Replay: what it compares, what it hands out, what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <lightmetal/capture.hpp>
#include <lightmetal/replay.hpp>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <tt-metalium/lightmetal_replay.hpp>
#include <tt-metalium/tt_metal.hpp>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "api/src/devices/device_impl.h"
#include "api/src/devices/replay_drain.h"
#include "api/src/work/event_progress.h"
#include "replay/compare.h"
#include "replay/reads.h"
#include "schema/storage/memory_sink.h"
#include "schema/verify/repair.h"
#include "schema/verify/verify.h"
#include "tests/support/captured_file.h"
#include "tests/support/every_call.h"

namespace lightmetal {
namespace {

namespace tm = tt::tt_metal;

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::open_file;
using testing::rewritten;
using ::testing::SizeIs;
using testing::with_changed_input;

// ---- Comparison ----

template <class T>
Bytes view(const std::vector<T>& values) {
  return bytes_of(values.data(), values.size() * sizeof(T));
}

GoldenResult compared(schema::ElementType type, Bytes expected, Bytes found) {
  return replay::compare(type, ComparePolicy{}, expected, found);
}

TEST(Compare, EqualBytesAreNoMismatch) {
  const std::vector<float> values = {1, 2, 3};
  EXPECT_TRUE(compared(schema::ElementType::Float32, view(values), view(values)).passed);
  EXPECT_TRUE(compared(schema::ElementType::Float32, {}, {}).passed);
}

TEST(Compare, CountsElementsAndShowsTheFirstFive) {
  std::vector<int32_t> expected(100), found(100);
  for (int i = 10; i < 20; ++i) found[i] = -i;
  const auto mismatch = compared(schema::ElementType::Int32, view(expected), view(found));
  ASSERT_FALSE(mismatch.passed);
  EXPECT_EQ(mismatch.elements, 100u);
  EXPECT_EQ(mismatch.different, 10u);
  ASSERT_THAT(mismatch.first, SizeIs(5));
  EXPECT_EQ(mismatch.first[1].index, 11u);
  EXPECT_EQ(mismatch.first[1].expected, "0");
  EXPECT_EQ(mismatch.first[1].found, "-11");
}

TEST(Compare, ShowsEveryTypeInItsOwnWords) {
  const auto shown = [](schema::ElementType type, auto expected, auto found) {
    const std::vector<decltype(expected)> a = {expected}, b = {found};
    const auto mismatch = compared(type, view(a), view(b));
    return mismatch.first.at(0).expected + " " + mismatch.first.at(0).found;
  };
  EXPECT_EQ(shown(schema::ElementType::Bytes, uint8_t{1}, uint8_t{254}), "0x01 0xfe");
  EXPECT_EQ(shown(schema::ElementType::UInt8, uint8_t{1}, uint8_t{254}), "1 254");
  EXPECT_EQ(shown(schema::ElementType::UInt16, uint16_t{1}, uint16_t{65535}), "1 65535");
  EXPECT_EQ(shown(schema::ElementType::Int32, int32_t{1}, int32_t{-1}), "1 -1");
  EXPECT_EQ(shown(schema::ElementType::UInt32, 1u, 4000000000u), "1 4000000000");
  EXPECT_EQ(shown(schema::ElementType::Float32, 1.5f, -2.25f), "1.5 -2.25");
  EXPECT_EQ(shown(schema::ElementType::BFloat16, uint16_t{0x3FC0}, uint16_t{0xC010}), "1.5 -2.25");
}

TEST(Compare, ValuesThatLookAlikeAreShownWithTheirBits) {
  const std::vector<uint32_t> expected = {0x7FC00000}, found = {0x7FC00001};
  const auto mismatch = compared(schema::ElementType::Float32, view(expected), view(found));
  EXPECT_EQ(mismatch.first.at(0).expected, "nan = 0x7fc00000");
  EXPECT_EQ(mismatch.first.at(0).found, "nan = 0x7fc00001");
}

TEST(Compare, ACutLastElementCounts) {
  const std::vector<uint8_t> expected = {0, 0, 0, 0, 1}, found = {0, 0, 0, 0, 2};
  const auto mismatch = compared(schema::ElementType::UInt32, view(expected), view(found));
  EXPECT_EQ(mismatch.elements, 2u);
  EXPECT_EQ(mismatch.different, 1u);
}

// ---- Files ----

std::shared_ptr<tm::Buffer> page_on(tm::IDevice* device) {
  return tm::CreateBuffer(
      tm::InterleavedBufferConfig{.device = device, .size = 64, .page_size = 64});
}

// Writes numbers to a buffer and reads them back, on the CPU device.
tm::LightMetalBinary write_and_read() {
  tm::LightMetalBeginCapture({.read_goldens = true});
  tm::IDevice* device = tm::CreateDevice(0);
  auto buffer = page_on(device);
  std::vector<uint32_t> data(16);
  for (uint32_t i = 0; i < 16; ++i) data[i] = 100 + i;
  tm::EnqueueWriteBuffer(device->command_queue(), buffer, data, /*blocking=*/false);
  tm::EnqueueReadBuffer(device->command_queue(), buffer, data, /*blocking=*/true);
  buffer.reset();
  tm::CloseDevice(device);
  return tm::LightMetalEndCapture();
}

// The same calls as make_every_call, on the null device, where kernels cost nothing.
tm::LightMetalBinary every_call() {
  setenv("LIGHTMETAL_DEVICE", "null", 1);
  tm::LightMetalBeginCapture({.read_goldens = true});
  make_every_call();
  unsetenv("LIGHTMETAL_DEVICE");
  return tm::LightMetalEndCapture();
}

absl::StatusOr<ReplayResult> replayed(absl::Span<const uint8_t> bytes, const RunOptions& options,
                                      LoadOptions load = {}) {
  auto replay = Replay::load_bytes(bytes, std::move(load));
  if (!replay.ok()) return replay.status();
  return (*replay)->run(options);
}
absl::StatusOr<ReplayResult> replayed(absl::Span<const uint8_t> bytes, LoadOptions load = {}) {
  return replayed(bytes, RunOptions(), std::move(load));
}

std::string error_of(absl::Span<const uint8_t> bytes, const RunOptions& options) {
  return std::string(replayed(bytes, options).status().message());
}
std::string error_of(absl::Span<const uint8_t> bytes, LoadOptions load = {}) {
  return std::string(replayed(bytes, std::move(load)).status().message());
}

TEST(Replay, GivesWhatWasRecorded) {
  const auto binary = write_and_read();
  const auto result = replayed(binary.get_data());
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->commands, 6u);
  EXPECT_EQ(result->goldens_checked, 1u);
  EXPECT_TRUE(result->matches());
}

TEST(Replay, AChangedInputIsAMismatchThatSaysWhere) {
  const auto changed = with_changed_input(*open_file(write_and_read()));
  std::vector<std::string> heard;
  RunOptions options;
  options.on_mismatch = [&](const GoldenResult& mismatch) { heard.push_back(mismatch.text()); };
  const auto result = replayed(changed, options);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_FALSE(result->matches());
  ASSERT_THAT(result->mismatches, SizeIs(1));
  EXPECT_EQ(result->mismatches[0].command, 3u);
  EXPECT_EQ(
      result->mismatches[0].text(),
      "EnqueueReadBuffer of buffer 1 (64 bytes at 0x20, DRAM): 1 of 16 UInt32 elements differs: "
      "[0] expected 100, found 101");
  EXPECT_EQ(heard, std::vector<std::string>{result->mismatches[0].text()});
}

TEST(Replay, StopsAtAMismatchWhenToldTo) {
  const auto changed = with_changed_input(*open_file(write_and_read()));
  RunOptions options;
  options.stop_at_mismatch = true;
  EXPECT_THAT(error_of(changed, options),
              AllOf(HasSubstr("command 3 (EnqueueReadBuffer"), HasSubstr("found 101")));
}

TEST(Replay, ChecksNothingWhenToldTo) {
  const auto changed = with_changed_input(*open_file(write_and_read()));
  RunOptions options;
  options.check_goldens = false;
  const auto result = replayed(changed, options);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->goldens_checked, 0u);
  EXPECT_TRUE(result->matches());
}

// ---- The second run ----

// Returns the result of a run, or its error.
std::string outcome_of(const absl::StatusOr<ReplayResult>& result) {
  if (!result.ok()) return std::string(result.status().message());
  std::string text =
      absl::StrCat(result->commands, " commands, ", result->goldens_checked, " goldens, ",
                   result->mismatch_count, " differ, ", result->failed_count, " failed, ",
                   result->skipped_count, " skipped");
  for (const GoldenResult& mismatch : result->mismatches)
    absl::StrAppend(&text, "\n", mismatch.text());
  for (const CommandError& error : result->errors) absl::StrAppend(&text, "\n", error.message);
  return text;
}

// One option of a run, and all that go with it.
std::vector<RunOptions> run_options() {
  std::vector<RunOptions> all(1);
  const auto add = [&all](auto set) { set(all.emplace_back()); };
  add([](RunOptions& options) { options.check_goldens = false; });
  add([](RunOptions& options) { options.stop_at_mismatch = true; });
  add([](RunOptions& options) { options.first_command = 4; });
  add([](RunOptions& options) { options.last_command = 2; });
  add([](RunOptions& options) { options.sync = true; });
  add([](RunOptions& options) { options.continue_on_error = true; });
  return all;
}

// One golden matches, one does not, and a device cannot be opened.
std::vector<std::vector<uint8_t>> files_to_run() {
  const auto binary = write_and_read();
  const auto file = open_file(binary);
  const auto on_no_device = rewritten(*file, [](schema::CommandT& command, schema::Writer&) {
    if (auto* create = command.call.AsCreateDevice()) create->backend = "abacus";
  });
  const auto bytes = binary.get_data();
  return {{bytes.begin(), bytes.end()}, with_changed_input(*file), on_no_device};
}

TEST(Replay, ARunDoesNotDependOnTheRunBeforeIt) {
  const std::vector<RunOptions> options = run_options();
  std::set<std::string> outcomes;
  for (const std::vector<uint8_t>& bytes : files_to_run()) {
    for (size_t second = 0; second < options.size(); ++second) {
      const std::string expected = outcome_of(replayed(bytes, options[second]));
      outcomes.insert(expected);
      for (size_t first = 0; first < options.size(); ++first) {
        const auto replay = Replay::load_bytes(bytes);
        ASSERT_TRUE(replay.ok()) << replay.status();
        (void)(*replay)->run(options[first]);
        EXPECT_EQ(outcome_of((*replay)->run(options[second])), expected) << first << " " << second;
      }
    }
  }
  EXPECT_EQ(outcomes.size(), 7u);
}

TEST(Replay, TheGoldenOfTheFirstCommandIsChecked) {
  constexpr uint64_t kRead = 3;
  const auto binary = write_and_read();
  for (const uint64_t first : {kRead - 1, kRead, kRead + 1}) {
    RunOptions options;
    options.first_command = first;
    const auto result = replayed(binary.get_data(), options);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(result->goldens_checked, first <= kRead ? 1u : 0u) << first;
  }
}

TEST(Replay, HandsOutWhatItReads) {
  std::vector<uint32_t> words;
  RunOptions options;
  options.on_read = [&](const ReadData& read) {
    EXPECT_EQ(read.call, "EnqueueReadBuffer");
    EXPECT_EQ(read.command, 3u);
    words.resize(read.data.size() / 4);
    std::memcpy(words.data(), read.data.data(), read.data.size());
  };
  const auto binary = write_and_read();
  ASSERT_TRUE(replayed(binary.get_data(), options).ok());
  ASSERT_THAT(words, SizeIs(16));
  EXPECT_EQ(words[15], 115u);
}

TEST(Replay, TellsHowFarItIs) {
  std::vector<uint64_t> numbers;
  RunOptions options;
  options.on_progress = [&](uint64_t command, uint64_t commands) {
    EXPECT_EQ(commands, 6u);
    numbers.push_back(command);
  };
  const auto binary = write_and_read();
  ASSERT_TRUE(replayed(binary.get_data(), options).ok());
  EXPECT_THAT(numbers, ::testing::ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(Replay, TypedGoldensAreReportedInTheirType) {
  tm::LightMetalBeginCapture();
  tm::IDevice* device = tm::CreateDevice(0);
  auto buffer = page_on(device);
  const std::vector<bfloat16> data(32, bfloat16(1.5f));
  std::vector<bfloat16> golden = data;
  golden[7] = bfloat16(-2.25f);
  tm::EnqueueWriteBuffer(device->command_queue(), buffer, data, true);
  tm::LightMetalCompareToGolden(device->command_queue(), buffer, golden);
  tm::CloseDevice(device);
  const auto binary = tm::LightMetalEndCapture();
  const auto result = replayed(binary.get_data());
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_THAT(result->mismatches, SizeIs(1));
  EXPECT_THAT(result->mismatches[0].text(),
              HasSubstr("1 of 32 BFloat16 elements differs: [7] expected -2.25, found 1.5"));
}

TEST(Replay, RunsAnyNumberOfTimes) {
  const auto binary = write_and_read();
  auto replay = Replay::load_bytes(binary.get_data());
  ASSERT_TRUE(replay.ok()) << replay.status();
  for (int i = 0; i < 3; ++i) {
    const auto result = (*replay)->run();
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_TRUE(result->matches());
  }
}

TEST(Replay, EveryCallRunsAnyNumberOfTimes) {
  const auto binary = every_call();
  auto replay = Replay::load_bytes(binary.get_data());
  ASSERT_TRUE(replay.ok()) << replay.status();
  for (int i = 0; i < 3; ++i) {
    const auto result = (*replay)->run();
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(result->commands, (*replay)->num_commands());
    EXPECT_TRUE(result->matches());
  }
}

TEST(Replay, DevicesItOpenedStayOpenUntilItEnds) {
  tm::LightMetalBeginCapture();
  tm::IDevice* device = tm::CreateDevice(2);
  auto buffer = page_on(device);
  const auto binary = tm::LightMetalEndCapture();
  buffer.reset();
  tm::CloseDevice(device);
  {
    auto replay = Replay::load_bytes(binary.get_data());
    ASSERT_TRUE(replay.ok());
    ASSERT_TRUE((*replay)->run().ok());
    ASSERT_TRUE((*replay)->run().ok());
    EXPECT_THROW(tm::CreateDevice(2, 2), std::runtime_error);  // it is open, with one queue
    EXPECT_THROW(tm::CreateDevice(2), std::runtime_error);     // the replay's own is nobody's
  }
  tm::CloseDevice(tm::CreateDevice(2));
}

TEST(Replay, UsesTheCallersDeviceAndLeavesItOpen) {
  const auto binary = write_and_read();
  tm::IDevice* device = tm::CreateDevice(0);
  LoadOptions options;
  options.device = device;
  for (int i = 0; i < 2; ++i) {
    const auto result = replayed(binary.get_data(), options);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_TRUE(result->matches());
  }
  EXPECT_TRUE(device->is_initialized());
  page_on(device);
  tm::CloseDevice(device);
}

TEST(Replay, RefusesACallersDeviceWithTooFewQueues) {
  tm::LightMetalBeginCapture();
  tm::IDevice* device = tm::CreateDevice(0, 2);
  tm::CloseDevice(device);
  const auto binary = tm::LightMetalEndCapture();
  device = tm::CreateDevice(0, 1);
  LoadOptions options;
  options.device = device;
  EXPECT_THAT(error_of(binary.get_data(), options),
              HasSubstr("it has 1 command queues, and 2 were recorded"));
  tm::CloseDevice(device);
}

TEST(Replay, RefusesACallersDeviceOfAnotherProfile) {
  const auto other =
      rewritten(*open_file(write_and_read()), [](schema::CommandT& command, schema::Writer&) {
        if (auto* create = command.call.AsCreateDevice()) create->profile->l1_size -= 4096;
      });
  tm::IDevice* device = tm::CreateDevice(0);
  LoadOptions options;
  options.device = device;
  EXPECT_THAT(error_of(other, options), AllOf(HasSubstr("command 0 (CreateDevice"),
                                              HasSubstr("the L1 size was recorded as")));
  tm::CloseDevice(device);
}

TEST(Replay, ABufferWhoseAddressIsTakenIsAnError) {
  const auto binary = write_and_read();
  tm::IDevice* device = tm::CreateDevice(0);
  auto in_the_way = page_on(device);
  LoadOptions options;
  options.device = device;
  EXPECT_THAT(error_of(binary.get_data(), options), HasSubstr("command 1 (BufferCreate"));
  in_the_way.reset();
  EXPECT_TRUE(replayed(binary.get_data(), options).ok());
  tm::CloseDevice(device);
}

TEST(Replay, AnotherSemaphoreIdIsADivergence) {
  const auto other =
      rewritten(*open_file(every_call()), [](schema::CommandT& command, schema::Writer&) {
        if (auto* create = command.call.AsCreateSemaphore()) create->semaphore_id = 9;
      });
  EXPECT_THAT(error_of(other), HasSubstr("its field semaphore_id is 9, expected 0"));
}

TEST(Replay, AnotherKernelHandleIsADivergence) {
  const auto other =
      rewritten(*open_file(every_call()), [](schema::CommandT& command, schema::Writer&) {
        if (auto* create = command.call.AsKernelCreate()) create->handle = 9;
      });
  EXPECT_THAT(error_of(other), HasSubstr("its field handle is 9, expected 0"));
}

TEST(Replay, AGoldenOfAnotherSizeIsAnError) {
  const auto other = rewritten(*open_file(write_and_read()),
                               [](schema::CommandT& command, schema::Writer& writer) {
                                 auto* read = command.call.AsEnqueueReadBuffer();
                                 if (read != nullptr)
                                   *read->golden = *writer.append_blob(bytes_of("short", 5));
                               });
  EXPECT_THAT(error_of(other),
              HasSubstr("its field golden is a payload of 5 bytes, expected 64 bytes"));
}

TEST(Replay, AnotherBackendIsUsedWhenAskedFor) {
  LoadOptions options;
  options.backend = "null";
  const auto binary = write_and_read();
  const auto result = replayed(binary.get_data(), options);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_FALSE(result->matches());  // the null device keeps nothing
  options.backend = "abacus";
  EXPECT_THAT(error_of(binary.get_data(), options), HasSubstr("abacus"));
}

TEST(Replay, KernelsOfAnotherTargetAreRefused) {
  LoadOptions options;
  options.backend = "cpu";
  EXPECT_THAT(error_of(every_call().get_data(), options), HasSubstr("null-any-1"));
}

TEST(Replay, AProfileThatNoDeviceCanHaveIsRefused) {
  const auto other =
      rewritten(*open_file(write_and_read()), [](schema::CommandT& command, schema::Writer&) {
        if (auto* create = command.call.AsCreateDevice())
          *create->profile->grid = schema::CoreCoord(100000, 8);
      });
  EXPECT_THAT(error_of(other), HasSubstr("its field profile.grid.x is 100000"));
}

// Each way in which a trace can name what is not there.
TEST(Replay, ATraceThatNamesWhatIsNotThereIsRefused) {
  const auto file = open_file(every_call());
  const auto error_with = [&](auto change) {
    bool is_first = true;
    return error_of(rewritten(*file, [&](schema::CommandT& command, schema::Writer&) {
      auto* load = command.call.AsLoadTrace();
      if (load != nullptr && std::exchange(is_first, false)) {
        change(*load->content->launches.at(0));
      }
    }));
  };
  using Launch = schema::TraceLaunchT;
  EXPECT_THAT(error_with([](Launch& launch) {
                launch.cores[0]->kernels[0] = {77, 0, 0, 0, 0};
              }),
              HasSubstr("the trace names kernel 77"));
  EXPECT_THAT(error_with([](Launch& launch) {
                launch.cores[0]->kernels[0] = {0, 4000000000, 1, 0, 0};
              }),
              HasSubstr("the trace names arguments up to 4000000001"));
  EXPECT_THAT(error_with([](Launch& launch) {
                *launch.cores[0]->core = {8, 0};
              }),
              HasSubstr("not in the grid"));
  using CircularBuffer = schema::TraceCircularBuffer;
  EXPECT_THAT(error_with([](Launch& launch) {
                launch.cores[0]->circular_buffers[0] = CircularBuffer(0, 64, 64, 32, 0);
              }),
              HasSubstr("the trace names circular buffer 32"));
  EXPECT_THAT(error_with([](Launch& launch) {
                launch.cores[0]->circular_buffers[0] = CircularBuffer(0, 64, 0, 0, 0);
              }),
              HasSubstr("in pages of 0"));
  EXPECT_THAT(error_with([](Launch& launch) {
                launch.cores[0]->circular_buffers[0] = CircularBuffer(64, 0xFFFFFFFF, 1, 0, 0);
              }),
              HasSubstr("the trace names L1 up to"));
  EXPECT_THAT(error_with([](Launch& launch) {
                launch.cores[0]->semaphores[0] = {16, 0};
              }),
              HasSubstr("the trace names semaphore 16"));
}

TEST(Replay, AnErrorOfTheHostApiNamesTheCommandAndLeavesTheReplayUsable) {
  const auto binary = write_and_read();
  auto replay = Replay::load_bytes(binary.get_data());
  ASSERT_TRUE(replay.ok()) << replay.status();
  tm::IDevice* device = tm::CreateDevice(0);
  for (int i = 0; i < 2; ++i) {
    const auto result = (*replay)->run();
    EXPECT_THAT(std::string(result.status().message()),
                AllOf(HasSubstr("the file in memory: command 0 (CreateDevice, at offset"),
                      HasSubstr("open already")));
  }
  tm::CloseDevice(device);
  EXPECT_TRUE((*replay)->run().ok());
}

TEST(Replay, ADeviceThatNobodyKnowsIsRefusedWhenTheFileIsLoaded) {
  const auto replay = Replay::load_bytes(write_and_read().get_data(), {.backend = "abacus"});
  EXPECT_THAT(std::string(replay.status().message()), HasSubstr("no device is called \"abacus\""));
}

TEST(Replay, AnIncompleteFileIsRefusedUnlessAllowed) {
  auto bytes = write_and_read().get_data();
  bytes.resize(bytes.size() - 8);
  EXPECT_FALSE(Replay::load_bytes(bytes).ok());
  const auto result = replayed(bytes, {.allow_incomplete = true});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->commands, 6u);
}

// Queue 0 waits for an event when the run fails, or when the file ends early.
TEST(Replay, AQueueThatWaitsForWhatNeverComesDoesNotKeepARunFromEnding) {
  tm::LightMetalBeginCapture();
  tm::IDevice* device = tm::CreateDevice(0, 2);
  auto event = std::make_shared<tm::Event>();
  tm::EnqueueWaitForEvent(device->command_queue(0), event);
  auto buffer = page_on(device);
  const auto cut = tm::LightMetalEndCapture();
  tm::EnqueueRecordEvent(device->command_queue(1), event);
  tm::Finish(device->command_queue(0));
  buffer.reset();
  event.reset();
  tm::CloseDevice(device);
  EXPECT_THAT(error_of(cut.get_data()), HasSubstr("its queue 0 waits for event 1"));

  auto bytes = cut.get_data();
  bytes.resize(bytes.size() - 8);
  EXPECT_TRUE(replayed(bytes, {.allow_incomplete = true}).ok());
  tm::IDevice* taken = tm::CreateDevice(0, 2);
  auto in_the_way = page_on(taken);
  EXPECT_THAT(error_of(bytes, {.device = taken, .allow_incomplete = true}),
              HasSubstr("command 3 (BufferCreate"));
  in_the_way.reset();
  tm::CloseDevice(taken);
}

// The file ends while the queue already sleeps.
TEST(Replay, AQueueThatSleepsUntilAnEventComesWakesAtTheEndOfAnIncompleteFile) {
  tm::LightMetalBeginCapture();
  tm::IDevice* device = tm::CreateDevice(0, 2);
  auto event = std::make_shared<tm::Event>();
  tm::EnqueueWaitForEvent(device->command_queue(0), event);
  std::vector<uint32_t> words;
  tm::detail::ReadFromDeviceL1(device, tm::CoreCoord(0, 0), 0x80000, 4, words);
  auto bytes = tm::LightMetalEndCapture().get_data();
  tm::EnqueueRecordEvent(device->command_queue(1), event);
  event.reset();
  tm::CloseDevice(device);

  bytes.resize(bytes.size() - 8);
  int reads = 0;
  RunOptions options;
  options.on_read = [&](const ReadData&) {
    while (!tm::EventProgress::anyone_waits_for_unannounced()) std::this_thread::yield();
    ++reads;
  };
  EXPECT_EQ(replayed(bytes, options, {.allow_incomplete = true}).status(), absl::OkStatus());
  EXPECT_EQ(reads, 1);
}

TEST(Replay, ARepairedFileWaitsForNothing) {
  tm::LightMetalBeginCapture();
  tm::IDevice* device = tm::CreateDevice(0, 2);
  auto event = std::make_shared<tm::Event>();
  tm::EnqueueWaitForEvent(device->command_queue(0), event);
  auto bytes = tm::LightMetalEndCapture().get_data();
  tm::EnqueueRecordEvent(device->command_queue(1), event);
  tm::Finish(device->command_queue(0));
  tm::CloseDevice(device);

  bytes.resize(bytes.size() - 8);
  auto sink = std::make_shared<schema::MemorySink>();
  const auto report = schema::repair(*open_file(bytes), sink);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->commands, 2u);
  EXPECT_THAT(report->reason, HasSubstr("a queue waits for an event"));
  const auto repaired = open_file(sink->take_as<uint8_t>());
  EXPECT_EQ(schema::verify(*repaired), absl::OkStatus());
}

// Gives the queue work that no call stands for, and does not wait.
void give(tm::CommandQueueImpl& queue, tm::Operation work) {
  const capture::CallScope scope;
  tm::QueueCall call(scope, tm::QueueCall::Kind::kEffect, tm::QueueWait::kNone);
  queue.run(call, std::move(work));
}

// What is enqueued behind an error would otherwise run while its memory is given back.
TEST(Replay, DrainingWaitsForEveryQueueWhateverFailedBefore) {
  tm::IDevice* device = tm::CreateDevice(0, 2);
  std::atomic<int> done = 0;
  const auto fails = [&done](absl::string_view how) {
    return [&done, how] {
      absl::SleepFor(absl::Milliseconds(100));
      ++done;
      return absl::InternalError(how);
    };
  };
  give(tm::impl_of(device).queue(0), [] { return absl::InternalError("first"); });
  give(tm::impl_of(device).queue(1), fails("second"));
  tm::impl_of(device).direct_worker().push(fails("beside"));
  EXPECT_THAT([&] { tm::replay_hooks::drain(*device); },
              ::testing::ThrowsMessage<std::exception>(HasSubstr("first")));
  EXPECT_EQ(done, 2);
  EXPECT_NO_THROW(tm::replay_hooks::drain(*device));
  tm::CloseDevice(device);
}

replay::Read read_on(uint64_t command, const tm::IDevice* device, uint8_t cq) {
  replay::Read read;
  read.command = command;
  read.device = device;
  read.cq = cq;
  return read;
}

TEST(Reads, AreHandedOutInTheOrderOfTheirCommands) {
  std::vector<uint64_t> commands;
  RunOptions options;
  options.on_read = [&](const ReadData& read) { commands.push_back(read.command); };
  ReplayResult result;
  replay::Reads reads({}, result);
  reads.begin_run(options);
  const auto* device = reinterpret_cast<const tm::IDevice*>(&result);  // only compared
  for (uint64_t command = 0; command < 9; ++command) {
    ASSERT_TRUE(reads.start(read_on(command, device, command % 3), 8).ok());
  }
  ASSERT_TRUE(reads.start(read_on(9, nullptr, 0), 8).ok());
  EXPECT_TRUE(reads.settle(device, 1).ok());
  EXPECT_THAT(commands, ElementsAre(1, 4, 7));
  EXPECT_TRUE(reads.settle(device).ok());
  EXPECT_THAT(commands, ElementsAre(1, 4, 7, 0, 2, 3, 5, 6, 8));
  EXPECT_TRUE(reads.settle_all().ok());
  EXPECT_EQ(commands.back(), 9u);
}

TEST(Reads, AQueueThatSettlesDoesNotLookAtTheReadsOfAnother) {
  constexpr int kReads = 50000;
  RunOptions options;
  ReplayResult result;
  replay::Reads reads({}, result);
  reads.begin_run(options);
  for (int i = 0; i < kReads; ++i) ASSERT_TRUE(reads.start(read_on(i, nullptr, 1), 0).ok());
  const absl::Time begin = absl::Now();
  for (int i = 0; i < kReads; ++i) ASSERT_TRUE(reads.settle(nullptr, 0).ok());
  EXPECT_LT(absl::Now() - begin, absl::Seconds(5));
}

TEST(LightMetalReplay, IsTrueWhenAllIsAsRecordedAndFalseOtherwise) {
  auto binary = write_and_read();
  const auto changed = with_changed_input(*open_file(binary));
  EXPECT_FALSE(tm::LightMetalReplay(tm::LightMetalBinary(changed)).run());
  EXPECT_FALSE(tm::LightMetalReplay(tm::LightMetalBinary({1, 2, 3})).run());
  EXPECT_FALSE(tm::LightMetalReplay(tm::LightMetalBinary()).run());
  tm::LightMetalReplay replay(std::move(binary));
  EXPECT_TRUE(replay.run());
  EXPECT_TRUE(replay.execute_binary());
}

}  // namespace
}  // namespace lightmetal
