// The flight recorder: the end of a capture, kept in memory and written when something happens.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <lightmetal/capture.hpp>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/tt_metal.hpp>
#include <vector>

#include "schema/verify/verify.h"
#include "tests/capture/crash_kit.h"
#include "tests/support/accumulating_program.h"
#include "tests/support/captured_file.h"
#include "tests/support/descriptors.h"

namespace lightmetal {
namespace {

namespace tm = tt::tt_metal;
using testing::close_descriptors_of;
using ::testing::Contains;
using testing::expect_replays;
using ::testing::HasSubstr;
using testing::opened;
using testing::TemporaryFolder;

constexpr uint64_t kRing = 128 * 1024;
constexpr uint32_t kBytes = 2048;

std::shared_ptr<tm::Buffer> page_on(tm::IDevice* device) {
  return tm::CreateBuffer(
      tm::InterleavedBufferConfig{.device = device, .size = kBytes, .page_size = kBytes});
}

// Every payload is another one.
void write_and_read(tm::CommandQueue& cq, tm::Buffer& buffer, uint32_t value) {
  std::vector<uint32_t> words(kBytes / sizeof(uint32_t), value * 2654435761u + 1);
  tm::EnqueueWriteBuffer(cq, buffer, words, false);
  tm::EnqueueReadBuffer(cq, buffer, words, true);
}

class FlightRecorderTest : public ::testing::Test {
 protected:
  void SetUp() override { device_ = tm::CreateDevice(0, 2); }
  void TearDown() override { tm::CloseDevice(device_); }

  void begin(uint64_t size = kRing) {
    tm::LightMetalBeginCapture({.path = file_, .read_goldens = true, .ring_size = size});
  }
  void work(tm::Buffer& buffer, uint32_t rounds) {
    for (uint32_t i = 0; i < rounds; ++i) {
      write_and_read(device_->command_queue(), buffer, next_++);
    }
  }
  // Returns the buffer that is written to.
  std::shared_ptr<tm::Buffer> write_what_does_not_fit() {
    std::vector<std::byte> large(2 * kRing, std::byte{1});
    auto too_large = tm::CreateBuffer(
        tm::InterleavedBufferConfig{.device = device_, .size = 2 * kRing, .page_size = kRing});
    tm::EnqueueWriteBuffer(device_->command_queue(), *too_large, large.data(), true);
    return too_large;
  }
  // The value of the last write in the file.
  uint32_t last_written() {
    const auto file = opened(file_);
    uint32_t value = 0;
    for (const schema::CommandT& command : testing::commands_of(*file)) {
      const auto* write = command.call.AsEnqueueWriteBuffer();
      if (write == nullptr) continue;
      const auto payload = file->blob(*write->data);
      EXPECT_TRUE(payload.ok()) << payload.status();
      std::memcpy(&value, payload->bytes().data(), sizeof(value));
    }
    return value;
  }
  uint32_t expected_last() const { return (next_ - 1) * 2654435761u + 1; }

  TemporaryFolder folder_;
  const std::string file_ = folder_.path("ring.lmb");
  tm::IDevice* device_ = nullptr;
  uint32_t next_ = 1;
};

TEST_F(FlightRecorderTest, KeepsTheEndOfALongCaptureAndItReplays) {
  auto buffer = page_on(device_);
  begin();
  work(*buffer, 500);
  tm::LightMetalEndCapture();
  // 500 rounds are a megabyte of payloads.
  EXPECT_LE(std::filesystem::file_size(file_), kRing + 64 * 1024);
  EXPECT_GE(std::filesystem::file_size(file_), kRing / 2);
  EXPECT_EQ(last_written(), expected_last());
  EXPECT_TRUE(opened(file_)->complete());
  expect_replays(file_, /*incomplete=*/false);
}

TEST_F(FlightRecorderTest, ACaptureThatFitsIsWhole) {
  begin();
  auto buffer = page_on(device_);
  work(*buffer, 5);
  tm::LightMetalEndCapture();
  EXPECT_EQ(opened(file_)->num_commands(), 12u);  // with the device and the buffer
  expect_replays(file_, /*incomplete=*/false);
}

TEST_F(FlightRecorderTest, ObjectsKeepTheirIdsThroughSnapshots) {
  auto kept = page_on(device_);
  begin();
  tm::Program program = tm::CreateProgram();
  auto dies = page_on(device_);
  work(*kept, 100);
  dies.reset();
  work(*kept, 100);
  auto young = page_on(device_);
  work(*young, 10);
  young.reset();
  tm::LightMetalEndCapture();
  expect_replays(file_, /*incomplete=*/false);
}

TEST_F(FlightRecorderTest, AnEventOutlivesItsDeviceThroughASegmentThatBeginsWithNoneOpen) {
  begin();
  const auto event = std::make_shared<tm::Event>();
  tm::EnqueueRecordEvent(device_->command_queue(1), event);
  tm::CloseDevice(device_);
  for (int i = 0; i < 5000; ++i) (void)std::make_shared<tm::Event>();
  device_ = tm::CreateDevice(0, 2);
  tm::EnqueueWaitForEvent(device_->command_queue(), event);
  auto buffer = page_on(device_);
  work(*buffer, 1);
  tm::LightMetalEndCapture();
  EXPECT_LT(opened(file_)->num_commands(), 10'000u);  // without the first segment
  expect_replays(file_, /*incomplete=*/false);
}

TEST_F(FlightRecorderTest, IsEmptyBeforeAnythingIsWritten) {
  begin();
  auto buffer = page_on(device_);
  EXPECT_EQ(std::filesystem::file_size(file_), 0u);
  tm::LightMetalEndCapture();
  EXPECT_GT(std::filesystem::file_size(file_), 0u);
}

TEST_F(FlightRecorderTest, IsWrittenOnACallAndGoesOn) {
  auto buffer = page_on(device_);
  begin();
  work(*buffer, 100);
  EXPECT_TRUE(dump_flight_recorder());
  EXPECT_EQ(last_written(), expected_last());
  expect_replays(file_, /*incomplete=*/false);
  work(*buffer, 100);
  EXPECT_TRUE(dump_flight_recorder());
  EXPECT_EQ(last_written(), expected_last());
  expect_replays(file_, /*incomplete=*/false);
  tm::LightMetalEndCapture();
}

// Frames of an earlier time behind those of the new one would tell what never happened.
TEST_F(FlightRecorderTest, AWriteThatBreaksOffLeavesNothingOfTheOneBefore) {
  auto buffer = page_on(device_);
  begin();
  work(*buffer, 100);
  EXPECT_TRUE(dump_flight_recorder());
  work(*buffer, 10);
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small = {.rlim_cur = 20'000, .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_THROW(dump_flight_recorder(), std::runtime_error);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_LE(std::filesystem::file_size(file_), small.rlim_cur);
  work(*buffer, 10);
  EXPECT_TRUE(dump_flight_recorder());
  EXPECT_EQ(last_written(), expected_last());
  tm::LightMetalEndCapture();
}

TEST_F(FlightRecorderTest, AFileThatTheProgramHasClosedIsAnErrorAndNotTakenForNone) {
  begin();
  auto buffer = page_on(device_);
  close_descriptors_of(file_);
  EXPECT_THROW(dump_flight_recorder(), std::runtime_error);
  EXPECT_THROW(tm::LightMetalEndCapture(), std::runtime_error);
}

TEST_F(FlightRecorderTest, TheEndWritesWhatCameAfterACallThatWroteIt) {
  auto buffer = page_on(device_);
  begin();
  EXPECT_THROW(tm::EventSynchronize(std::make_shared<tm::Event>()), std::runtime_error);
  work(*buffer, 3);
  EXPECT_TRUE(dump_flight_recorder());
  work(*buffer, 3);
  tm::LightMetalEndCapture();
  EXPECT_EQ(last_written(), expected_last());
  expect_replays(file_, /*incomplete=*/false);
}

TEST_F(FlightRecorderTest, TheNextOneSeesSignalsThoughTheProgramPutBackTheDefault) {
  struct sigaction before = {};
  sigaction(SIGTERM, nullptr, &before);
  begin();
  std::signal(SIGTERM, [](int) {});
  tm::LightMetalEndCapture();
  std::signal(SIGTERM, SIG_DFL);
  begin();
  struct sigaction during = {};
  sigaction(SIGTERM, nullptr, &during);
  tm::LightMetalEndCapture();
  EXPECT_NE(during.sa_handler, SIG_DFL);
  sigaction(SIGTERM, &before, nullptr);
}

TEST_F(FlightRecorderTest, NoneRunsOutsideACaptureWithARing) {
  EXPECT_FALSE(dump_flight_recorder());
  tm::LightMetalBeginCapture();
  EXPECT_FALSE(dump_flight_recorder());
  tm::LightMetalEndCapture();
}

TEST_F(FlightRecorderTest, IsWrittenWhenACallFailsAndTheEndLeavesThat) {
  auto buffer = page_on(device_);
  begin();
  work(*buffer, 100);
  EXPECT_THROW(tm::EventSynchronize(std::make_shared<tm::Event>()), std::runtime_error);
  const auto names = testing::names_of(*opened(file_));
  EXPECT_EQ(names.back(), "CallFailed");
  const std::string before = testing::read_file(file_);
  work(*buffer, 3);
  tm::LightMetalEndCapture();
  EXPECT_EQ(testing::read_file(file_), before);
  expect_replays(file_, /*incomplete=*/false);
}

TEST_F(FlightRecorderTest, TheEndWritesASecondFailure) {
  auto buffer = page_on(device_);
  begin();
  for (int i = 0; i < 2; ++i) {
    EXPECT_THROW(tm::EventSynchronize(std::make_shared<tm::Event>()), std::runtime_error);
    if (i == 0) work(*buffer, 3);
  }
  tm::LightMetalEndCapture();
  const auto names = testing::names_of(*opened(file_));
  EXPECT_EQ(std::ranges::count(names, "CallFailed"), 2);
  expect_replays(file_, /*incomplete=*/false);
}

TEST_F(FlightRecorderTest, ASegmentThatFollowsAFailureIsWrittenAtTheNextOne) {
  auto buffer = page_on(device_);
  begin();
  const auto fail_in_a_call = [&] {
    EXPECT_THROW(tm::EventSynchronize(std::make_shared<tm::Event>()), std::runtime_error);
    EXPECT_EQ(testing::names_of(*opened(file_)).back(), "CallFailed");
    EXPECT_EQ(last_written(), expected_last());
  };
  work(*buffer, 1);
  fail_in_a_call();
  work(*buffer, 2 * kRing / kBytes);
  fail_in_a_call();
  tm::LightMetalEndCapture();
}

TEST_F(FlightRecorderTest, AnErrorAfterAFailureIsInTheFileThatShowsTheFailure) {
  begin();
  EXPECT_THROW(tm::EventSynchronize(std::make_shared<tm::Event>()), std::runtime_error);
  EXPECT_TRUE(opened(file_)->complete());
  const auto too_large = write_what_does_not_fit();
  EXPECT_THROW(tm::LightMetalEndCapture(), std::runtime_error);
  EXPECT_FALSE(opened(file_)->complete());
  expect_replays(file_, /*incomplete=*/true);
}

// The file of several segments is put together from two images.
TEST_F(FlightRecorderTest, LargePayloadsOfSeveralSegmentsBeginAtPages) {
  constexpr uint32_t kLarge = schema::kPageAlignedBlob;
  auto buffer = tm::CreateBuffer(
      tm::InterleavedBufferConfig{.device = device_, .size = kLarge, .page_size = kBytes});
  begin(8 * kLarge);
  for (uint32_t i = 1; i <= 30; ++i) {
    std::vector<uint32_t> words(kLarge / sizeof(uint32_t), i);
    tm::EnqueueWriteBuffer(device_->command_queue(), *buffer, words, false);
    tm::EnqueueReadBuffer(device_->command_queue(), *buffer, words, true);
  }
  tm::LightMetalEndCapture();
  const auto file = opened(file_);
  int large = 0;
  for (const schema::BlobEntry& blob : file->blobs()) {
    if (blob.size < kLarge) continue;
    ++large;
    EXPECT_EQ((blob.offset + sizeof(schema::FrameHeader)) % schema::kPageSize, 0u) << blob.offset;
  }
  EXPECT_GE(large, 4);
  EXPECT_LT(large, 20) << "there is no segment but the first";
  expect_replays(file_, /*incomplete=*/false);
}

// Each thread that is recorded has a stack for signals.
TEST_F(FlightRecorderTest, ThreadsThatEndLeaveNoMemory) {
  if (LIGHTMETAL_SANITIZED) GTEST_SKIP() << "a sanitizer keeps memory of its own for each thread";
  const auto mapped_bytes = [] {
    uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  };
  const auto run_threads = [](int count) {
    for (int i = 0; i < count; ++i) std::thread([] { tm::Program program; }).join();
  };
  begin();
  run_threads(10);
  const uint64_t before = mapped_bytes();
  run_threads(100);
  EXPECT_LT(mapped_bytes(), before + (uint64_t{8} << 20));
  tm::LightMetalEndCapture();
}

TEST_F(FlightRecorderTest, TheLastCallsIntentIsInTheFileOfSeveralSegments) {
  auto buffer = page_on(device_);
  tm::LightMetalBeginCapture(
      {.path = file_, .read_goldens = true, .intents = true, .ring_size = kRing});
  work(*buffer, 500);
  tm::LightMetalEndCapture();
  std::vector<schema::FrameType> types = testing::frame_types_of(*opened(file_));
  std::erase_if(types, [](schema::FrameType type) {
    return type != schema::FrameType::Command && type != schema::FrameType::Intent;
  });
  // The last call is a read that blocks.
  ASSERT_GT(types.size(), 100u);
  EXPECT_EQ(types.back(), schema::FrameType::Command);
  EXPECT_EQ(types[types.size() - 2], schema::FrameType::Intent);
}

TEST_F(FlightRecorderTest, ASnapshotThatDoesNotFitIsAnErrorThatSaysSo) {
  const uint32_t size = 4 * kRing;
  auto large = tm::CreateBuffer(
      tm::InterleavedBufferConfig{.device = device_, .size = size, .page_size = size / 16});
  uint32_t state = 1;
  std::vector<uint32_t> words(size / sizeof(uint32_t));
  for (uint32_t& word : words) word = state = state * 1664525 + 1013904223;
  tm::EnqueueWriteBuffer(device_->command_queue(), large, words, true);
  begin();
  auto buffer = page_on(device_);
  work(*buffer, 10);  // unharmed
  try {
    tm::LightMetalEndCapture();
    ADD_FAILURE() << "the capture has no error";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the snapshot of what lives does not fit"));
  }
}

TEST_F(FlightRecorderTest, ACallThatDoesNotFitIsAnErrorAndTheFileHoldsWhatWasBefore) {
  auto buffer = page_on(device_);
  begin();
  work(*buffer, 5);
  const auto too_large = write_what_does_not_fit();
  EXPECT_THROW(tm::LightMetalEndCapture(), std::runtime_error);
  EXPECT_FALSE(opened(file_)->complete());
  EXPECT_EQ(last_written(), expected_last());
  expect_replays(file_, /*incomplete=*/true);
}

TEST_F(FlightRecorderTest, NeedsAPathAndAFewPages) {
  EXPECT_THROW(tm::LightMetalBeginCapture({.ring_size = kRing}), std::runtime_error);
  EXPECT_THROW(tm::LightMetalBeginCapture({.path = file_, .ring_size = 1000}), std::runtime_error);
}

// Which of them is inside a call when a snapshot is due is a matter of luck.
TEST_F(FlightRecorderTest, ThreadsThatCallAtOnceAreAllRecorded) {
  begin();
  std::vector<std::thread> threads;
  for (uint32_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([this, thread] {
      auto buffer = page_on(device_);
      for (uint32_t i = 0; i < 100; ++i) {
        write_and_read(device_->command_queue(thread % 2), *buffer, thread * 1000 + i);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  tm::LightMetalEndCapture();
  EXPECT_EQ(schema::verify(*opened(file_)), absl::OkStatus());
  expect_replays(file_, /*incomplete=*/false);
}

// ---- Segments ----

// These calls write no payloads, so the first frame after a snapshot is a command.
TEST_F(FlightRecorderTest, NoCallIsMissingWhereASegmentFollowsAnother) {
  constexpr uint32_t kCalls = 5000;
  const tm::CoreCoord core{0, 0};
  begin();
  tm::Program program = tm::CreateProgram();
  const auto kernel =
      tm::CreateKernelFromString(program, "void kernel_main() {}", core, tm::DataMovementConfig{});
  for (uint32_t i = 1; i <= kCalls; ++i) tm::SetRuntimeArgs(program, kernel, core, {i, i});
  tm::LightMetalEndCapture();
  std::vector<uint32_t> values;
  for (const schema::CommandT& command : testing::commands_of(*opened(file_))) {
    if (const auto* set = command.call.AsSetRuntimeArgs()) values.push_back(set->args.at(0));
  }
  ASSERT_FALSE(values.empty());
  EXPECT_GT(values.front(), 1u) << "there is no segment but the first";
  std::vector<uint32_t> expected(kCalls + 1 - values.front());
  std::iota(expected.begin(), expected.end(), values.front());
  EXPECT_EQ(values, expected);
}

TEST_F(FlightRecorderTest, ProgramsMayBeMadeAndMovedWhileASnapshotIsTaken) {
  auto buffer = page_on(device_);
  begin();
  std::thread maker([] {
    for (int i = 0; i < 200; ++i) {
      tm::Program program = tm::CreateProgram();
      tm::Program moved = std::move(program);
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  });
  work(*buffer, 300);
  maker.join();
  tm::LightMetalEndCapture();
  expect_replays(file_, /*incomplete=*/false);
}

TEST_F(FlightRecorderTest, AFirstReferenceToArgumentsWaitsForASnapshot) {
  auto buffer = page_on(device_);
  begin();
  std::thread writer([] {
    const tm::CoreCoord core{0, 0};
    for (uint32_t i = 0; i < 300; ++i) {
      tm::Program program = tm::CreateProgram();
      const auto kernel = tm::CreateKernelFromString(program, "void kernel_main() {}", core,
                                                     tm::DataMovementConfig{});
      tm::SetRuntimeArgs(program, kernel, core, {i, i});
      tm::GetRuntimeArgs(program, kernel, core);
    }
  });
  work(*buffer, 300);
  writer.join();
  tm::LightMetalEndCapture();
  expect_replays(file_, /*incomplete=*/false);
}

// It waits for a flag that the host sets by a later call.
TEST_F(FlightRecorderTest, AKernelMayWaitForTheNextCallWhenASegmentIsDue) {
  constexpr uint32_t kFlag = 0x80000;
  const tm::CoreCoord core(0, 0);
  const auto set_flag = [&](uint32_t value) {
    std::vector<uint32_t> word = {value};
    tm::detail::WriteToDeviceL1(device_, core, kFlag, word);
  };
  auto buffer = page_on(device_);
  tm::Program program = tm::CreateProgram();
  tm::CreateKernelFromString(program, R"(
void kernel_main() {
  while (*reinterpret_cast<volatile uint32_t*>(0x80000) != 1) invalidate_l1_cache();
})",
                             core, tm::DataMovementConfig{});
  begin();
  set_flag(0);
  tm::EnqueueProgram(device_->command_queue(), program, /*blocking=*/false);
  for (uint32_t i = 0; i < kRing / 2 / kBytes; ++i) {
    std::vector<uint32_t> words(kBytes / sizeof(uint32_t), next_++);
    tm::EnqueueWriteBuffer(device_->command_queue(), *buffer, words, /*blocking=*/false);
  }
  set_flag(1);
  tm::Finish(device_->command_queue());
  work(*buffer, 100);  // the segment begins after all
  tm::LightMetalEndCapture();
  EXPECT_EQ(last_written(), expected_last());
  expect_replays(file_, /*incomplete=*/false);
}

// What only a launch records is in no snapshot that the file keeps: that of its second segment is
// dropped.
TEST_F(FlightRecorderTest, AWordWrittenBeforeASegmentReplaysInALaunchBehindIt) {
  auto filler = page_on(device_);
  auto numbers = testing::counting_buffer(device_, 2);
  testing::AccumulatingProgram accumulating(numbers);
  begin();
  const tm::CoreCoord core = accumulating.core(1);
  tm::GetRuntimeArgs(accumulating.program, accumulating.kernel, core)[1] = 1000;
  work(*filler, kRing / 2 / kBytes);
  tm::EnqueueProgram(device_->command_queue(), accumulating.program, /*blocking=*/false);
  EXPECT_EQ(testing::words_in(numbers)[16], 1016u);
  tm::LightMetalEndCapture();
  EXPECT_THAT(testing::names_of(*opened(file_)), Contains("WriteRuntimeArgs").Times(1));
  expect_replays(file_, /*incomplete=*/false);
}

TEST_F(FlightRecorderTest, AKernelThatALaunchCompiledAndRefusedIsThereBehindASegment) {
  auto filler = page_on(device_);
  auto numbers = testing::counting_buffer(device_, 2);
  testing::AccumulatingProgram accumulating(numbers);
  tm::Program& program = accumulating.program;
  begin();
  tm::UpdateCircularBufferTotalSize(program, accumulating.circular_buffer(), 64u << 20);
  EXPECT_THROW(tm::EnqueueProgram(device_->command_queue(), program, false), std::runtime_error);
  tm::UpdateCircularBufferTotalSize(program, accumulating.circular_buffer(), 64);
  work(*filler, kRing / 2 / kBytes);
  tm::EnqueueProgram(device_->command_queue(), program, /*blocking=*/false);
  testing::words_in(numbers);
  EXPECT_TRUE(dump_flight_recorder());
  EXPECT_THAT(testing::names_of(*opened(file_)), Contains("KernelBinary").Times(1));
  expect_replays(file_, /*incomplete=*/false);
  tm::LightMetalEndCapture();
}

}  // namespace
}  // namespace lightmetal
