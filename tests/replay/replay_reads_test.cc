// The reads of a replay: their names, the calls that hand them out, and the mismatches and errors
// that a result keeps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <lightmetal/capture.hpp>
#include <lightmetal/replay.hpp>
#include <memory>
#include <string>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <tt-metalium/tt_metal.hpp>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "device/device.h"
#include "device/registry/registry.h"
#include "replay/reads.h"
#include "tests/support/captured_file.h"
#include "tests/support/passing_device.h"
#include "tests/support/replayed_programs.h"

namespace lightmetal::replayed_reads {
namespace {

namespace tm = tt::tt_metal;

using testing::buffer_on;
using testing::captured_on_null;
using ::testing::ElementsAre;
using testing::FilePointer;
using ::testing::HasSubstr;
using testing::kPage;
using testing::names_of;
using testing::replayed;
using testing::sharded_on;
using testing::trace_of;

const CoreCoord kCore(0, 0);

// ---- Names ----

void read_in_every_way() {
  tm::IDevice* device = tm::CreateDevice(0);
  {
    tm::CommandQueue& queue = device->command_queue();
    const auto buffer = buffer_on(device, 2 * kPage);
    const auto sharded = sharded_on(device);
    std::vector<float> floats;
    std::vector<uint32_t> words;
    tm::EnqueueReadBuffer(queue, buffer, floats, true);
    tm::EnqueueReadSubBuffer(queue, buffer, words, tm::BufferRegion(kPage, kPage), true);
    tm::LightMetalCompareToCapture(queue, buffer);
    tm::detail::ReadFromBuffer(buffer, words);
    tm::detail::ReadShard(*sharded, words, 1);
    tm::detail::ReadFromDeviceDRAMChannel(device, 3, 0x10000, 8, words);
    tm::detail::ReadFromDeviceL1(device, {2, 5}, 0x80000, 8, words);
    tm::detail::ReadFromDeviceL1(device, {0, 6}, 0x10000, 8, words, CoreType::ETH);
  }
  tm::CloseDevice(device);
}

TEST(ReplayedReads, SayWhatTheyRead) {
  std::vector<std::string> found;
  RunOptions options;
  options.on_read = [&](const ReadData& read) {
    found.push_back(absl::StrCat(std::string(read.call), " of ", std::string(read.source), ": ",
                                 read.data.size(), " B, ", std::string(read.element_type), ", ",
                                 read.buffer.value_or(0)));
  };
  const FilePointer file = captured_on_null(read_in_every_way);
  ASSERT_EQ(replayed(file, options).status(), absl::OkStatus());
  const std::string buffer = "buffer 1 (128 bytes at 0x20, DRAM)";
  EXPECT_THAT(
      found,
      ElementsAre(
          "EnqueueReadBuffer of " + buffer + ": 128 B, Float32, 1",
          "EnqueueReadSubBuffer of bytes 64 to 128 of " + buffer + ": 64 B, UInt32, 1",
          "LightMetalCompare of " + buffer + ": 128 B, Bytes, 1",
          "ReadFromBuffer of " + buffer + ": 128 B, UInt32, 1",
          "ReadShard of shard 1 of buffer 2 (128 bytes at 0x16dfc0, L1): 64 B, UInt32, 2",
          "ReadFromDeviceDRAMChannel of 8 bytes at 0x10000 of DRAM channel 3: 8 B, UInt32, 0",
          "ReadFromDeviceL1 of 8 bytes at L1 address 0x80000 of core (2, 5): 8 B, UInt32, 0",
          "ReadFromEthernetL1 of 8 bytes at L1 address 0x10000 of Ethernet core (0, 6): 8 B, "
          "UInt32, 0"));
}

// ---- Calls that hand them out ----

// For each read of a replay, the name of the command that is executed when it is handed out.
std::vector<std::string> handed_out_by(const FilePointer& file) {
  const std::vector<std::string> names = names_of(*file);
  std::vector<std::string> found;
  uint64_t now = 0;
  RunOptions options;
  options.on_progress = [&](uint64_t command, uint64_t) { now = command; };
  options.on_read = [&](const ReadData&) { found.push_back(names[now]); };
  EXPECT_EQ(replayed(file, options).status(), absl::OkStatus());
  return found;
}

tm::Program empty_program() {
  tm::Program program = tm::CreateProgram();
  tm::CreateKernelFromString(program, "void kernel_main() {}", kCore, tm::DataMovementConfig{});
  return program;
}

// Before each call that waits for the queue stands a read that does not.
void read_before_each_wait() {
  tm::IDevice* device = tm::CreateDevice(0, 1, DEFAULT_L1_SMALL_SIZE, 1 << 20);
  tm::CommandQueue& queue = device->command_queue();
  const auto buffer = buffer_on(device);
  tm::Program program = empty_program();
  const uint32_t trace = trace_of(device, program);
  const std::array cores = {tm::CoreRangeSet(tm::CoreRange(kCore))};
  const auto manager = device->create_sub_device_manager({tm::SubDevice(cores)}, 0);
  std::vector<uint32_t> words(kPage / 4), read, more;
  const std::vector<std::function<void()>> waits = {
      [&] { tm::EnqueueWriteBuffer(queue, buffer, words, true); },
      [&] { tm::EnqueueWriteSubBuffer(queue, buffer, words, tm::BufferRegion(0, kPage), true); },
      [&] { tm::EnqueueReadBuffer(queue, buffer, more, true); },
      [&] { tm::LightMetalCompareToCapture(queue, buffer); },
      [&] { tm::EnqueueProgram(queue, program, true); },
      [&] { tm::ReplayTrace(device, 0, trace, true); },
      [&] { tm::EnqueueTrace(queue, trace, true); },
      [&] { tm::Finish(queue); },
      [&] { tm::Synchronize(device); },
      [&] { device->load_sub_device_manager(manager); },
      [&] { device->clear_loaded_sub_device_manager(); },
      [&] { tm::CloseDevice(device); },
  };
  for (const auto& wait : waits) {
    tm::EnqueueReadBuffer(queue, buffer, read, false);
    wait();
  }
}

TEST(ReplayedReads, AreHandedOutByTheCallThatWaitsForThem) {
  EXPECT_THAT(
      handed_out_by(captured_on_null(read_before_each_wait)),
      ElementsAre("EnqueueWriteBuffer", "EnqueueWriteSubBuffer", "EnqueueReadBuffer",
                  "EnqueueReadBuffer", "LightMetalCompare", "LightMetalCompare", "EnqueueProgram",
                  "ReplayTrace", "EnqueueTrace", "FinishQueue", "Synchronize",
                  "SubDeviceManagerLoad", "SubDeviceManagerClear", "CloseDevice"));
}

TEST(ReplayedReads, OfAnotherQueueWaitForACallOfTheirOwn) {
  const FilePointer file = captured_on_null([] {
    tm::IDevice* device = tm::CreateDevice(0, 2);
    {
      const auto buffer = buffer_on(device);
      std::vector<uint32_t> first, second;
      tm::EnqueueReadBuffer(device->command_queue(0), buffer, first, false);
      tm::EnqueueReadBuffer(device->command_queue(1), buffer, second, false);
      tm::Synchronize(device, 0);
      tm::Finish(device->command_queue(1));
    }
    tm::CloseDevice(device);
  });
  EXPECT_THAT(handed_out_by(file), ElementsAre("Synchronize", "FinishQueue"));
}

// ---- Mismatches and errors ----

TEST(ReplayedReads, TheFirstHundredMismatchesAreKeptAndAllAreCounted) {
  const std::vector<std::byte> golden(8, std::byte{1});
  for (const bool stops : {false, true}) {
    const RunOptions options{.stop_at_mismatch = stops};
    ReplayResult result;
    replay::Reads reads({}, result);
    reads.begin_run(options);
    for (uint64_t command = 0; command < 102; ++command) {
      replay::Read read;
      read.command = command;
      read.golden = schema::Payload(golden, nullptr);
      const auto memory = reads.start(std::move(read), golden.size());
      ASSERT_TRUE(memory.ok()) << memory.status();
      std::ranges::fill(*memory, std::byte{2});
    }
    EXPECT_EQ(reads.settle_all().ok(), !stops);
    EXPECT_EQ(result.mismatch_count, stops ? 1u : 102u);
    EXPECT_EQ(result.goldens_checked, stops ? 1u : 102u);
    ASSERT_EQ(result.mismatches.size(), stops ? 1u : 100u);
    EXPECT_EQ(result.mismatches.back().command, stops ? 0u : 99u);
    EXPECT_EQ(reads.settle_all(), absl::OkStatus());
  }
}

TEST(ContinueOnError, KeepsTheFirstHundredErrorsAndCountsAll) {
  const FilePointer file = captured_on_null([] {
    tm::IDevice* device = tm::CreateDevice(0);
    for (int i = 0; i < 60; ++i) buffer_on(device);
    tm::CloseDevice(device);
  });
  const auto broken = testing::rewritten(*file, [](schema::CommandT& command, schema::Writer&) {
    if (auto* create = command.call.AsCreateDevice()) create->backend = "abacus";
  });
  const auto result = replayed(testing::open_file(broken), {.continue_on_error = true});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->commands, 0u);
  EXPECT_EQ(result->failed_count, 1u);
  EXPECT_EQ(result->skipped_count, file->num_commands() - 1);
  ASSERT_EQ(result->errors.size(), 100u);
  for (uint64_t number = 0; number < 100; ++number) {
    EXPECT_EQ(result->errors[number].command, number);
    EXPECT_EQ(result->errors[number].skipped, number != 0);
  }
}

// A program ends as recorded although its kernel failed.
TEST(ContinueOnError, OfAProgramThatFailedTheLaunchesAreSkippedAndItsEndIsNot) {
  const FilePointer file = captured_on_null([] {
    tm::IDevice* device = tm::CreateDevice(0);
    {
      tm::Program program = empty_program();
      for (int i = 0; i < 2; ++i) tm::EnqueueProgram(device->command_queue(), program, true);
    }
    tm::CloseDevice(device);
  });
  const auto names = names_of(*file);
  const size_t binary = std::ranges::find(names, "KernelBinary") - names.begin();
  const auto replay = Replay::load(file, {.replace_kernels = {{"1", "/nowhere/kernel.cpp"}}});
  ASSERT_TRUE(replay.ok()) << replay.status();
  const auto result = (*replay)->run({.continue_on_error = true});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->failed_count, 1u);
  EXPECT_EQ(result->skipped_count, 2u);
  EXPECT_EQ(result->commands, names.size() - 3);
  ASSERT_EQ(result->errors.size(), 3u);
  EXPECT_EQ(result->errors[0].command, binary);
  EXPECT_THAT(
      result->errors[2].message,
      HasSubstr(absl::StrCat("skipped: program 1 is not what was recorded, because command ",
                             binary, " failed")));
}

// A device that fails once, when its DRAM is read first.
class UnreadableOnce final : public testing::PassingDevice {
 public:
  using PassingDevice::PassingDevice;
  absl::Status read_dram(uint32_t bank, uint64_t address, absl::Span<std::byte> data) override {
    if (!std::exchange(has_failed_, true)) return absl::DataLossError("it cannot be read now");
    return PassingDevice::read_dram(bank, address, data);
  }

 private:
  bool has_failed_ = false;
};

TEST(ContinueOnError, AReadThatFailsIsNotComparedAtALaterWait) {
  device::register_device("unreadable once", [](const device::DeviceOptions& options) {
    auto device = device::open_device("null", options);
    return absl::StatusOr<std::unique_ptr<device::Device>>(
        std::make_unique<UnreadableOnce>(*std::move(device)));
  });
  const FilePointer file = captured_on_null([] {
    tm::IDevice* device = tm::CreateDevice(0);
    {
      const auto buffer = buffer_on(device);
      std::vector<uint32_t> words;
      for (int i = 0; i < 2; ++i)
        tm::EnqueueReadBuffer(device->command_queue(), buffer, words, true);
    }
    tm::CloseDevice(device);
  });
  const auto result = replayed(file, {.continue_on_error = true}, {.backend = "unreadable once"});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->failed_count, 1u);
  EXPECT_EQ(result->skipped_count, 0u);
  EXPECT_EQ(result->goldens_checked, 1u);
  EXPECT_TRUE(result->matches());
}

}  // namespace
}  // namespace lightmetal::replayed_reads
