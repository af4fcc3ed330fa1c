// lightmetal_runner optimize: a file without what none of its reads needs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <tt-metalium/global_semaphore.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <tt-metalium/tt_metal.hpp>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/runner/inspection_kit.h"
#include "tests/support/accumulating_program.h"
#include "tests/support/captured_file.h"
#include "tests/support/process.h"

namespace lightmetal {
namespace {

namespace fs = std::filesystem;
namespace tm = tt::tt_metal;

using testing::AccumulatingProgram;
using testing::counting_buffer;
using ::testing::HasSubstr;
using testing::ProcessResult;
using testing::read_file;

class OptimizeTest : public testing::InspectionTest {
 protected:
  void capture(const std::function<void(tm::IDevice*)>& run, bool read_goldens = true,
               uint8_t queues = 1) {
    tm::LightMetalBeginCapture({.path = file_, .read_goldens = read_goldens});
    tm::IDevice* device = tm::CreateDevice(0, queues);
    run(device);
    tm::CloseDevice(device);
    tm::LightMetalEndCapture();
  }

  // A launch that is read, and beside it a write that is overwritten, a buffer that is written and
  // never read, one that is not even written, a launch on what nobody reads, and a program that is
  // never launched.
  void capture_with_dead_parts() {
    capture([](tm::IDevice* device) {
      tm::LightMetalScopeBegin("all");
      auto live = counting_buffer(device, 1), dead = counting_buffer(device, 2);
      auto idle = tm::CreateBuffer({.device = device, .size = 64, .page_size = 64});
      std::vector<uint32_t> words(16, 5);
      tm::EnqueueWriteBuffer(device->command_queue(), live, words, true);
      AccumulatingProgram needed(live), on_dead(dead), idle_program(live);
      tm::EnqueueProgram(device->command_queue(), on_dead.program, false);
      tm::EnqueueProgram(device->command_queue(), needed.program, false);
      tm::Finish(device->command_queue());
      testing::words_in(live);
      tm::LightMetalScopeEnd();
    });
  }

  ProcessResult optimize(std::vector<std::string> more = {}, const std::string& file = "") {
    std::vector<std::string> all = {"optimize", file.empty() ? file_ : file, "-o", out_};
    all.insert(all.end(), more.begin(), more.end());
    return runner(all);
  }
  int count(const std::string& name) const {
    const auto names = testing::names_of(**schema::File::open(out_));
    return static_cast<int>(std::ranges::count(names, name));
  }

  const std::string file_ = folder_.path("file.lmb"), out_ = folder_.path("out.lmb");
};

TEST_F(OptimizeTest, WhatNoReadNeedsIsGoneAndTheGoldensAreMatched) {
  capture_with_dead_parts();
  const ProcessResult result = optimize();
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(count("BufferCreate"), 1);
  EXPECT_EQ(count("EnqueueWriteBuffer"), 1);
  EXPECT_EQ(count("ProgramCreate"), 1);
  EXPECT_EQ(count("EnqueueProgram"), 1);
  EXPECT_EQ(count("EnqueueReadBuffer"), 1);
  EXPECT_EQ(count("FinishQueue"), 1);
  EXPECT_EQ(count("ScopeBegin") + count("ScopeEnd"), 2);
  EXPECT_THAT(result.output, HasSubstr("    2 BufferCreate\n"));
  EXPECT_THAT(result.output, HasSubstr("    2 EnqueueWriteBuffer\n"));
  EXPECT_THAT(result.output, HasSubstr("  removed: 2 payloads, "));
  EXPECT_THAT(result.output,
              HasSubstr(absl::StrCat(out_, ": ", file_, " in ", fs::file_size(out_),
                                     " bytes instead of ", fs::file_size(file_), "\n")));
  EXPECT_LT(fs::file_size(out_), fs::file_size(file_));
  EXPECT_THAT(runner({out_}).output, HasSubstr(" 1 golden matched"));
  EXPECT_EQ(runner({"verify", out_}).exit_code, 0);
}

TEST_F(OptimizeTest, AFileOfWhichNothingCanGoIsSaidToBeTheSame) {
  for (const std::string& file : {matmul(), transformer()}) {
    const ProcessResult result = optimize({}, file);
    ASSERT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_EQ(result.output,
              out_ + ": nothing can be removed from " + file + ": it is the same file\n");
    EXPECT_TRUE(read_file(out_) == read_file(file));
  }
  capture_with_dead_parts();
  ASSERT_EQ(optimize().exit_code, 0);
  fs::rename(out_, file_);
  EXPECT_THAT(optimize().output, HasSubstr("nothing can be removed"));
}

// No argument names the semaphore and the buffer: the program reads them at their addresses.
TEST_F(OptimizeTest, MemoryThatIsReadByItsAddressKeepsWhatWroteIt) {
  capture([](tm::IDevice* device) {
    const tm::CoreCoord core(1, 1);
    auto dead = counting_buffer(device, 1);
    const auto semaphore = tm::CreateGlobalSemaphore(device, tm::CoreRangeSet(core), 83);
    auto buffer = tm::CreateBuffer(
        {.device = device, .size = 64, .page_size = 64, .buffer_type = tm::BufferType::L1});
    std::vector<uint32_t> words(16, 7);
    tm::EnqueueWriteBuffer(device->command_queue(), buffer, words, true);
    tm::detail::ReadFromDeviceL1(device, core, static_cast<uint32_t>(semaphore.address()), 4,
                                 words);
    EXPECT_EQ(words, std::vector<uint32_t>{83});
    tm::detail::ReadFromDeviceL1(device, {0, 0}, buffer->address() + 32, 4, words);
    EXPECT_EQ(words, std::vector<uint32_t>{7});
  });
  const ProcessResult result = optimize();
  ASSERT_EQ(result.exit_code, 0) << result.output << result.errors;
  EXPECT_EQ(count("GlobalSemaphoreCreate"), 1);
  EXPECT_EQ(count("EnqueueWriteBuffer"), 1);
  EXPECT_EQ(count("BufferCreate"), 1);
  EXPECT_THAT(runner({out_}).output, HasSubstr(" 2 goldens matched"));
}

// Nothing reads what the blocking write writes, but the second queue begins when it is over.
TEST_F(OptimizeTest, ACallThatBlocksStaysWhereSeveralQueuesTakePart) {
  const auto run = [](tm::IDevice* device, uint8_t second_queue) {
    auto live = counting_buffer(device, 1), other = counting_buffer(device, 1),
         dead = counting_buffer(device, 1);
    const std::vector<uint32_t> words(16, 5);
    AccumulatingProgram program(live);
    tm::EnqueueProgram(device->command_queue(), program.program, false);
    tm::EnqueueWriteBuffer(device->command_queue(), dead, words, true);
    tm::EnqueueWriteSubBuffer(device->command_queue(second_queue), other, words,
                              tm::BufferRegion(0, 64), false);
    tm::Finish(device->command_queue(second_queue));
    testing::words_in(live);
    testing::words_in(other);
  };
  capture([&](tm::IDevice* device) { run(device, 0); }, true, 2);
  ASSERT_EQ(optimize().exit_code, 0);
  EXPECT_EQ(count("EnqueueWriteBuffer"), 2);
  capture([&](tm::IDevice* device) { run(device, 1); }, true, 2);
  ASSERT_EQ(optimize().exit_code, 0);
  EXPECT_EQ(count("EnqueueWriteBuffer"), 3);
}

// The word of a semaphore is written by queue 0, and read outside the command queues: only the
// write that blocks orders the two.
TEST_F(OptimizeTest, ACallThatBlocksStaysBetweenASemaphoreAndAReadBesideTheQueues) {
  for (const bool resets : {false, true}) {
    capture([&](tm::IDevice* device) {
      auto dead = counting_buffer(device, 1);
      const std::vector<uint32_t> words(16, 5);
      auto semaphore = tm::CreateGlobalSemaphore(device, tm::CoreRangeSet(tm::CoreRange({0, 0})),
                                                 81, tm::BufferType::L1);
      if (resets) {
        tm::Finish(device->command_queue());
        semaphore.reset_semaphore_value(82);
      }
      tm::EnqueueWriteBuffer(device->command_queue(), dead, words, true);
      std::vector<uint32_t> word;
      tm::detail::ReadFromDeviceL1(device, {0, 0}, semaphore.address(), 4, word);
    });
    ASSERT_EQ(optimize().exit_code, 0);
    EXPECT_EQ(count("EnqueueWriteBuffer"), 1) << "resets: " << resets;
  }
}

// The program launches on queue 0 and reads outside the command queues: only the change of managers
// orders the two.
TEST_F(OptimizeTest, AChangeOfSubDeviceManagersStaysBetweenALaunchAndAReadBesideTheQueues) {
  for (const bool clears : {false, true}) {
    capture([&](tm::IDevice* device) {
      const std::array cores = {tm::CoreRangeSet(tm::CoreRange({0, 0}))};
      const auto manager = device->create_sub_device_manager({tm::SubDevice(cores)}, 0);
      auto live = counting_buffer(device, 1);
      AccumulatingProgram program(live, {0, 0});
      tm::EnqueueProgram(device->command_queue(), program.program, false);
      clears ? device->clear_loaded_sub_device_manager() : device->load_sub_device_manager(manager);
      std::vector<uint32_t> words;
      tm::detail::ReadFromBuffer(live, words);
    });
    ASSERT_EQ(optimize().exit_code, 0);
    EXPECT_EQ(count(clears ? "SubDeviceManagerClear" : "SubDeviceManagerLoad"), 1);
  }
}

// The launches are on two sub-devices: the second waits for the first because of the write.
TEST_F(OptimizeTest, ATransferBetweenLaunchesOnSubDevicesStays) {
  capture([](tm::IDevice* device) {
    const std::array first = {tm::CoreRangeSet(tm::CoreRange({0, 0}))};
    const std::array second = {tm::CoreRangeSet(tm::CoreRange({1, 0}))};
    device->load_sub_device_manager(
        device->create_sub_device_manager({tm::SubDevice(first), tm::SubDevice(second)}, 0));
    auto live = counting_buffer(device, 1), dead = counting_buffer(device, 1);
    std::vector<uint32_t> words(16, 5);
    AccumulatingProgram one(live, {0, 0}), two(live, {1, 0});
    tm::EnqueueProgram(device->command_queue(), one.program, false);
    tm::EnqueueWriteBuffer(device->command_queue(), dead, words, false);
    tm::EnqueueProgram(device->command_queue(), two.program, false);
    testing::words_in(live);
  });
  ASSERT_EQ(optimize().exit_code, 0);
  const auto names = testing::names_of(**schema::File::open(out_));
  const auto launch = std::ranges::find(names, "EnqueueProgram");
  ASSERT_NE(launch, names.end());
  EXPECT_EQ(std::count(launch, names.end(), "EnqueueWriteBuffer"), 1);
}

TEST_F(OptimizeTest, PayloadsAreCompressedWhenAsked) {
  capture([](tm::IDevice* device) { testing::words_in(counting_buffer(device, 4096)); });
  const ProcessResult result = optimize({"--compress", "9"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("nothing can be removed; payloads are compressed"));
  EXPECT_LT(fs::file_size(out_) * 4, fs::file_size(file_) * 3);
  EXPECT_THAT(runner({out_}).output, HasSubstr(" 1 golden matched"));
  EXPECT_EQ(runner({"diff", file_, out_}).exit_code, 0);
  for (const std::string level : {"1", "19"})
    EXPECT_EQ(optimize({"--compress", level}).exit_code, 0) << level;
  for (const std::string level : {"0", "20", "x"})
    expect_failure({"optimize", file_, "-o", out_, "--compress", level}, "--compress is a level");
}

TEST_F(OptimizeTest, ItsJsonIsAsItsSchemaSays) {
  capture_with_dead_parts();
  const ProcessResult result = optimize({"--format", "json"});
  expect_valid(result.output, "optimize.schema.json");
  const testing::JsonText json(result.output);
  EXPECT_EQ(json.root()["payloads_removed"].AsInt32(), 2);
  EXPECT_EQ(json.root()["bytes_before"].AsUInt64(), fs::file_size(file_));
  EXPECT_EQ(json.root()["bytes_after"].AsUInt64(), fs::file_size(out_));
  const uint64_t before = (*schema::File::open(file_))->num_commands(),
                 after = (*schema::File::open(out_))->num_commands();
  EXPECT_EQ(json.root()["commands"].AsUInt64(), after);
  EXPECT_EQ(json.root()["commands_removed"].AsUInt64(), before - after);
  const auto removed = json.root()["removed"].AsVector();
  uint64_t sum = 0;
  for (size_t i = 0; i < removed.size(); ++i) sum += removed[i].AsMap()["count"].AsUInt64();
  EXPECT_EQ(sum, before - after);
}

TEST_F(OptimizeTest, ASignatureIsGoneAndThatIsSaid) {
  capture_with_dead_parts();
  ASSERT_EQ(runner({"keygen", "-o", folder_.path("key")}).exit_code, 0);
  ASSERT_EQ(runner({"sign", file_, "--key", folder_.path("key.key")}).exit_code, 0);
  EXPECT_THAT(optimize().output, HasSubstr("; its signature is gone: sign it anew\n"));
}

TEST_F(OptimizeTest, AFileWithoutReadsKeepsAllThatTouchesMemory) {
  capture([](tm::IDevice* device) {
    auto written = counting_buffer(device, 1);
    auto idle = tm::CreateBuffer({.device = device, .size = 64, .page_size = 64});
  });
  const ProcessResult result = optimize();
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(count("EnqueueWriteBuffer"), 1);
  EXPECT_EQ(count("BufferCreate"), 1);
}

TEST_F(OptimizeTest, WhatDoesNotReplayAsRecordedIsNotWritten) {
  capture_with_dead_parts();
  const auto bytes =
      testing::rewritten(**schema::File::open(file_), [](schema::CommandT& command, auto&) {
        if (auto* args = command.call.AsSetCommonRuntimeArgs()) args->args.at(0) = 7;
      });
  written("file.lmb", bytes);
  const ProcessResult result = optimize();
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors, HasSubstr("out.lmb is not written: "));
  EXPECT_FALSE(fs::exists(out_));
}

TEST_F(OptimizeTest, FilesThatCannotBeOptimizedAreRefused) {
  expect_failure({"optimize", killed(), "-o", out_, "--trust"}, "because it is incomplete");
  expect_failure({"optimize", hostile(), "-o", out_}, "hostile.lmb");
  capture_with_dead_parts();
  expect_failure({"optimize", file_, "-o", file_}, "is an input");
  expect_failure({"optimize", file_}, "optimize needs -o OUT");
  fs::permissions(file_, fs::perms::others_write, fs::perm_options::add);
  expect_failure({"optimize", file_, "-o", out_}, "--trust");
  EXPECT_EQ(optimize({}, two_devices()).exit_code, 0);
}

}  // namespace
}  // namespace lightmetal
