// Device traces that a program captures and that no command of the file replays.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <lightmetal/capture.hpp>
#include <lightmetal/replay.hpp>
#include <lightmetal/trim.hpp>
#include <memory>
#include <optional>
#include <string>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/tt_metal.hpp>
#include <vector>

#include "schema/storage/memory_sink.h"
#include "schema/verify/repair.h"
#include "tests/support/captured_file.h"
#include "tests/support/cpu_api_test_kit.h"

namespace tt::tt_metal {
namespace {

using lightmetal::testing::commands_of;
using lightmetal::testing::FilePointer;
using lightmetal::testing::open_file;
namespace schema = lightmetal::schema;

using Bytes = std::vector<uint8_t>;

const CoreCoord kCore(0, 0);
constexpr uint32_t kCount = 0x80000;  // in L1: how often the kernel has run

uint32_t count_on(IDevice* device) {
  std::vector<uint32_t> words;
  detail::ReadFromDeviceL1(device, kCore, kCount, 4, words);
  return words.at(0);
}

void set_count(IDevice* device, uint32_t value) {
  std::vector<uint32_t> word = {value};
  detail::WriteToDeviceL1(device, kCore, kCount, word);
}

uint32_t capture_trace(IDevice* device, Program& program) {
  const uint32_t trace = BeginTraceCapture(device, 0);
  EnqueueProgram(device->command_queue(), program, false);
  EndTraceCapture(device, 0, trace);
  return trace;
}

Program counting_program() {
  Program program = CreateProgram();
  testing::add_data_movement(program, "++*reinterpret_cast<volatile tt_l1_ptr uint32_t*>(0x80000);",
                             kCore);
  return program;
}

// Runs the kernel once, captures it as a trace, and looks how often it has run; `with_trace` is
// what the program does with the trace before that.
void run(const std::function<void(IDevice*, uint32_t)>& with_trace) {
  IDevice* device = CreateDevice(0);
  set_count(device, 10);
  {
    Program program = counting_program();
    EnqueueProgram(device->command_queue(), program, /*blocking=*/true);
    const uint32_t trace = capture_trace(device, program);
    with_trace(device, trace);
    count_on(device);
    ReleaseTrace(device, trace);
  }
  CloseDevice(device);
}

Bytes captured(const std::function<void()>& program) {
  LightMetalBeginCapture();
  program();
  return LightMetalEndCapture().get_data();
}

Bytes capture_of_unreplayed() {
  return captured([] { run([](IDevice*, uint32_t) {}); });
}

// The last count that the file's program looked at, as a replay of it gives it.
uint32_t count_in(lightmetal::Replay& replay) {
  uint32_t last = ~0u;
  lightmetal::RunOptions options;
  options.on_read = [&last](const lightmetal::ReadData& read) {
    std::memcpy(&last, read.data.data(), sizeof(last));
  };
  const auto result = replay.run(options);
  EXPECT_TRUE(result.ok()) << result.status();
  return last;
}

class Counted {
 public:
  explicit Counted(FilePointer file, bool allow_incomplete = false) {
    auto replay = lightmetal::Replay::load(std::move(file), {.allow_incomplete = allow_incomplete});
    EXPECT_TRUE(replay.ok()) << replay.status();
    if (replay.ok()) replay_ = *std::move(replay);
  }
  explicit Counted(const Bytes& file) : Counted(open_file(file)) {}

  uint32_t run() { return replay_ == nullptr ? ~0u : count_in(*replay_); }

 private:
  std::unique_ptr<lightmetal::Replay> replay_;
};

uint64_t number_of(const schema::File& file, schema::Call call) {
  const auto commands = commands_of(file);
  for (uint64_t i = 0; i < commands.size(); ++i) {
    if (commands[i].call.type == call) return i;
  }
  ADD_FAILURE() << "no " << schema::EnumNameCall(call);
  return 0;
}

class UnreplayedTrace : public testing::CpuApiTest {
 protected:
  void TearDown() override { std::remove(path_.c_str()); }

  // What the commands from `first` to `last` give that is counted at the end.
  uint32_t trimmed(const Bytes& file, schema::Call first, schema::Call last) {
    const FilePointer opened = open_file(file);
    lightmetal::TrimOptions options;
    options.output = path_;
    options.first = number_of(*opened, first);
    options.last = number_of(*opened, last);
    const auto result = lightmetal::trim(opened, options);
    EXPECT_TRUE(result.ok()) << result.status();
    auto trimmed = schema::File::open(path_);
    EXPECT_TRUE(trimmed.ok()) << trimmed.status();
    return trimmed.ok() ? Counted(*trimmed).run() : ~0u;
  }

  const std::string path_ = ::testing::TempDir() + "unreplayed_trace_" +
                            ::testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(UnreplayedTrace, RunsOnceWhereItWasLoaded) {
  Counted replay(capture_of_unreplayed());
  EXPECT_EQ(replay.run(), 12u);
  EXPECT_EQ(replay.run(), 12u);  // each run of the file
}

TEST_F(UnreplayedTrace, AReplayThatIsCapturedGivesTheSameFile) {
  const Bytes file = capture_of_unreplayed();
  uint32_t count = 0;
  const Bytes again = captured([&] { count = Counted(file).run(); });
  EXPECT_EQ(count, 12u);
  EXPECT_TRUE(file == again);
}

TEST_F(UnreplayedTrace, OneThatTheProgramReplaysRunsAsOftenAsItDid) {
  EXPECT_EQ(Counted(captured([] {
              run([](IDevice* device, uint32_t trace) { ReplayTrace(device, 0, trace, true); });
            })).run(),
            12u);
  EXPECT_EQ(Counted(captured([] {
              run([](IDevice* device, uint32_t trace) {
                EnqueueTrace(device->command_queue(), trace, true);
                EnqueueTrace(device->command_queue(), trace, true);
              });
            })).run(),
            13u);
}

TEST_F(UnreplayedTrace, OneThatWasThereBeforeTheCaptureIsOnlyLoaded) {
  Program program = counting_program();
  set_count(device(), 10);
  EnqueueProgram(queue(), program, /*blocking=*/true);
  capture_trace(device(), program);
  const Bytes file = captured([&] {
    EXPECT_EQ(count_on(device()), 11u);
    CloseDevice(device());
  });
  uint32_t count = 0;
  const Bytes again = captured([&] { count = Counted(file).run(); });
  EXPECT_EQ(count, 11u);
  EXPECT_EQ(Counted(again).run(), 11u);
}

TEST_F(UnreplayedTrace, OneWhoseReplaysWereTrimmedOffDoesNotRun) {
  const Bytes file = captured([] {
    run([](IDevice* device, uint32_t trace) {
      EXPECT_EQ(count_on(device), 11u);
      ReplayTrace(device, 0, trace, true);
    });
  });
  EXPECT_EQ(trimmed(file, schema::Call::EnqueueProgram, schema::Call::ReadFromDeviceL1), 11u);
  EXPECT_EQ(trimmed(file, schema::Call::ReadFromDeviceL1, schema::Call::ReadFromDeviceL1), 11u);
}

TEST_F(UnreplayedTrace, ATrimmedFileRunsItIfTheWholeFileDoesSo) {
  const Bytes file = capture_of_unreplayed();
  EXPECT_EQ(trimmed(file, schema::Call::EnqueueProgram, schema::Call::ReadFromDeviceL1), 12u);
  EXPECT_EQ(trimmed(file, schema::Call::ReadFromDeviceL1, schema::Call::ReadFromDeviceL1), 12u);
}

// What an incomplete file has lost may have replayed it.
TEST_F(UnreplayedTrace, OneInAnIncompleteOrARepairedFileDoesNotRun) {
  Bytes cut = capture_of_unreplayed();
  cut.resize(cut.size() - 40);  // the footer
  const FilePointer file = open_file(cut);
  EXPECT_EQ(Counted(file, /*allow_incomplete=*/true).run(), 11u);
  auto sink = std::make_shared<schema::MemorySink>();
  const auto report = schema::repair(*file, sink);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(Counted(sink->take_as<uint8_t>()).run(), 11u);
}

TEST_F(UnreplayedTrace, OneInAFlightRecordDoesNotRun) {
  LightMetalBeginCapture({.path = path_, .ring_size = 1 << 20});
  run([](IDevice*, uint32_t) {});
  LightMetalEndCapture();
  const auto file = schema::File::open(path_);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(Counted(*file).run(), 11u);
}

// The program's next calls end what the queue waits for.
TEST_F(UnreplayedTrace, IsNotWaitedForWhileItsQueueWaitsForTheNextCall) {
  const Bytes file = captured([] {
    IDevice* device = CreateDevice(0, /*num_hw_cqs=*/2);
    {
      Program program = counting_program();
      EnqueueProgram(device->command_queue(0), program, /*blocking=*/true);
      const auto event = std::make_shared<Event>();
      EnqueueWaitForEvent(device->command_queue(0), event);
      const uint32_t trace = capture_trace(device, program);
      EnqueueRecordEvent(device->command_queue(1), event);
      Finish(device->command_queue(0));
      ReleaseTrace(device, trace);
    }
    CloseDevice(device);
  });
  const auto replay = lightmetal::Replay::load(open_file(file));
  ASSERT_TRUE(replay.ok()) << replay.status();
  const auto result = (*replay)->run();
  EXPECT_TRUE(result.ok()) << result.status();
}

TEST_F(UnreplayedTrace, LeavesErrorsOfItsQueueToTheCallThatHadThem) {
  const Bytes file = captured([] {
    IDevice* device = CreateDevice(0);
    {
      Program good = counting_program();
      EnqueueProgram(device->command_queue(), good, /*blocking=*/true);
      Program bad = CreateProgram();
      CreateCircularBuffer(
          bad, kCore,
          CircularBufferConfig(2048, {{0, tt::DataFormat::Float16_b}}).set_page_size(0, 2048));
      testing::add_data_movement(bad, "cb_wait_front(0, 1);", kCore);  // nobody fills it
      EnqueueProgram(device->command_queue(), bad, /*blocking=*/false);
      const uint32_t trace = capture_trace(device, good);
      EXPECT_ANY_THROW(Finish(device->command_queue()));
      ReleaseTrace(device, trace);
    }
    CloseDevice(device);
  });
  const auto replay = lightmetal::Replay::load(open_file(file));
  ASSERT_TRUE(replay.ok()) << replay.status();
  const auto result = (*replay)->run();
  EXPECT_TRUE(result.ok()) << result.status();
}

}  // namespace
}  // namespace tt::tt_metal
