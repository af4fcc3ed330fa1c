// Calls that did not come back, and calls that failed, as a file tells of them.
#include "schema/show/intents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <lightmetal/capture.hpp>
#include <memory>
#include <string>
#include <thread>
#include <tt-metalium/host_api.hpp>
#include <vector>

#include "schema/file/writer.h"
#include "schema/storage/memory_sink.h"
#include "schema/verify/repair.h"
#include "schema/verify/verify.h"
#include "tests/capture/crash_kit.h"
#include "tests/support/captured_file.h"

namespace lightmetal {
namespace {

namespace tm = tt::tt_metal;
using testing::commands_of;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kRunner;
using ::testing::Not;
using testing::opened;
using testing::run_process;
using testing::TemporaryFolder;

size_t num_intents(const schema::File& file) {
  const std::vector<schema::FrameType> types = testing::frame_types_of(file);
  return static_cast<size_t>(std::ranges::count(types, schema::FrameType::Intent));
}

class IntentsTest : public ::testing::Test {
 protected:
  void begin(bool intents) {
    tm::LightMetalBeginCapture({.path = file_, .read_goldens = true, .intents = intents});
  }

  TemporaryFolder folder_;
  const std::string file_ = folder_.path("captured.lmb");
};

// Kills the child when it has announced what it will never come back from.
void kill_in_launch(pid_t child, const std::string& path) {
  for (int i = 0; i < 60'000; ++i) {
    const auto file = schema::File::open(path);
    const auto open = file.ok() ? schema::open_intents(**file)
                                : absl::StatusOr<std::vector<schema::CommandView>>(file.status());
    if (open.ok() && !open->empty() &&
        open->back().command->call_type() == schema::Call::EnqueueProgram) {
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST_F(IntentsTest, AProgramThatIsKilledInsideALaunchNamesIt) {
  const pid_t child = fork();
  if (child == 0) {
    setenv("LIGHTMETAL_CAPTURE", file_.c_str(), 1);
    setenv("LIGHTMETAL_CAPTURE_INTENTS", "1", 1);
    execl(LIGHTMETAL_CRASH_CHILD, LIGHTMETAL_CRASH_CHILD, "spin", "3", nullptr);
    _exit(127);
  }
  kill_in_launch(child, file_);
  EXPECT_THAT(testing::info_of(file_),
              HasSubstr("died in    EnqueueProgram device=1 cq=0 program=1"));
  EXPECT_THAT(run_process({kRunner, "info", "--format", "json", file_}).output,
              HasSubstr("\"name\":\"EnqueueProgram\",\"fields\":{\"device\":1"));
  EXPECT_THAT(run_process({kRunner, "dump", file_}).output,
              HasSubstr("intent  EnqueueProgram device=1 cq=0 program=1"));
  EXPECT_EQ(run_process({kRunner, "verify", "--allow-incomplete", file_}).exit_code, 0);

  const std::string repaired = folder_.path("repaired.lmb");
  EXPECT_EQ(run_process({kRunner, "repair", file_, "-o", repaired}).exit_code, 0);
  EXPECT_THAT(testing::info_of(repaired), HasSubstr("ended in   EnqueueProgram"));
  testing::expect_replays(repaired, /*incomplete=*/false);
}

void write_and_read(tm::IDevice* device) {
  auto buffer = tm::CreateBuffer(
      tm::InterleavedBufferConfig{.device = device, .size = 1024, .page_size = 1024});
  std::vector<uint32_t> words(256, 7);
  tm::EnqueueWriteBuffer(device->command_queue(), buffer, words, false);
  tm::EnqueueWriteBuffer(device->command_queue(), buffer, words, true);
  tm::EnqueueReadBuffer(device->command_queue(), buffer, words, true);
  tm::Finish(device->command_queue());
}

TEST_F(IntentsTest, CallsThatCameBackLeaveNoOpenIntent) {
  tm::IDevice* device = tm::CreateDevice(0);
  begin(/*intents=*/true);
  write_and_read(device);
  tm::LightMetalEndCapture();
  tm::CloseDevice(device);
  const auto file = opened(file_);
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(num_intents(*file), 3u);  // the write that blocks, the read and Finish
  EXPECT_TRUE(schema::open_intents(*file)->empty());
  EXPECT_THAT(testing::info_of(file_), Not(HasSubstr("ended in")));
  testing::expect_replays(file_, /*incomplete=*/false);
}

TEST_F(IntentsTest, NoIntentIsWrittenUnlessAskedFor) {
  tm::IDevice* device = tm::CreateDevice(0);
  begin(/*intents=*/false);
  write_and_read(device);
  tm::LightMetalEndCapture();
  tm::CloseDevice(device);
  EXPECT_EQ(num_intents(*opened(file_)), 0u);
}

// A file with one intent, which `program` of a launch names.
std::shared_ptr<const schema::File> file_with_intent(uint64_t program, bool truncated = false) {
  auto sink = std::make_shared<schema::MemorySink>();
  schema::Writer writer(sink);
  EXPECT_TRUE(writer.begin(schema::SessionInfo()).ok());
  flatbuffers::FlatBufferBuilder builder;
  EXPECT_TRUE(
      writer
          .append_command(schema::finish_command(builder, schema::CreateProgramCreate(builder, 1)))
          .ok());
  builder.Clear();
  Bytes intent = schema::finish_command(builder, schema::CreateProgramDestroy(builder, program));
  std::vector<std::byte> bad(intent.begin(), intent.end());
  if (truncated) std::fill(bad.begin() + 8, bad.end(), std::byte{0xff});
  EXPECT_TRUE(writer.append_intent(bad).ok());
  EXPECT_TRUE(writer.finish(absl::OkStatus()).ok());
  auto file = schema::File::from_bytes(sink->take_as<std::byte>());
  EXPECT_TRUE(file.ok()) << file.status();
  return file.ok() ? *file : nullptr;
}

TEST(IntentFrame, DestroysNothing) {
  schema::VerifyReport report;
  EXPECT_EQ(schema::verify(*file_with_intent(1), &report), absl::OkStatus());
  EXPECT_EQ(report.commands, 1u);
  EXPECT_EQ(report.objects_alive, 1u);
}

TEST(IntentFrame, OfAnObjectThatDoesNotLiveIsRejected) {
  EXPECT_THAT(schema::verify(*file_with_intent(2)).message(),
              HasSubstr("destroys program 2, which nothing has created"));
}

TEST(IntentFrame, WithoutACommandIsRejected) {
  EXPECT_THAT(schema::verify(*file_with_intent(1, /*truncated=*/true)).message(),
              HasSubstr("holds no command"));
}

// ---- Calls that fail ----

TEST_F(IntentsTest, ACallThatThrowsIsRecordedAsFailedWithItsReason) {
  tm::IDevice* device = tm::CreateDevice(0);
  begin(/*intents=*/true);
  EXPECT_THROW(tm::EventSynchronize(std::make_shared<tm::Event>()), std::runtime_error);
  write_and_read(device);
  tm::LightMetalEndCapture();
  tm::CloseDevice(device);
  const auto file = opened(file_);
  ASSERT_NE(file, nullptr);
  const auto names = testing::names_of(*file);
  EXPECT_THAT(names, Contains("CallFailed"));
  for (const schema::CommandT& command : commands_of(*file)) {
    const auto* failed = command.call.AsCallFailed();
    if (failed == nullptr) continue;
    EXPECT_EQ(failed->function, "EventSynchronize");
    EXPECT_THAT(failed->error, HasSubstr("an event that was never recorded"));
    EXPECT_EQ(failed->intent, 0);  // It failed before it waited.
  }
  testing::expect_replays(file_, /*incomplete=*/false);
}

TEST_F(IntentsTest, ALaunchThatFailsEndsItsIntent) {
  tm::IDevice* device = tm::CreateDevice(0);
  begin(/*intents=*/true);
  {
    tm::Program program = tm::CreateProgram();
    tm::CreateKernelFromString(program,
                               "void kernel_main() { *(volatile unsigned*)0xf0000000 = 1; }",
                               CoreCoord(0, 0), tm::DataMovementConfig{});
    EXPECT_THROW(tm::EnqueueProgram(device->command_queue(), program, /*blocking=*/true),
                 std::runtime_error);
  }
  tm::LightMetalEndCapture();
  tm::CloseDevice(device);
  const auto file = opened(file_);
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(num_intents(*file), 1u);
  EXPECT_TRUE(schema::open_intents(*file)->empty());
  bool found = false;
  for (const schema::CommandT& command : commands_of(*file)) {
    const auto* failed = command.call.AsCallFailed();
    if (failed == nullptr) continue;
    found = true;
    EXPECT_EQ(failed->function, "EnqueueProgram");
    EXPECT_EQ(failed->intent, 0);  // The launch is in the file, too, and has ended it.
    EXPECT_THAT(failed->error, HasSubstr("SIGSEGV"));
  }
  EXPECT_TRUE(found);
  EXPECT_THAT(testing::names_of(*file), Contains("EnqueueProgram"));
  testing::expect_replays(file_, /*incomplete=*/false);
}

TEST_F(IntentsTest, AnErrorInsideACallThatSucceedsIsNoFailure) {
  begin(/*intents=*/false);
  try {
    throw std::runtime_error("the program's own");
  } catch (const std::runtime_error&) {
    tm::Program while_handling;
  }
  tm::LightMetalEndCapture();
  EXPECT_THAT(testing::names_of(*opened(file_)), ElementsAre("ProgramCreate", "ProgramDestroy"));
}

// Calls that destructors make while an exception is on its way do not fail by it.
TEST_F(IntentsTest, ACallOfADestructorDuringUnwindingIsNoFailure) {
  begin(/*intents=*/false);
  try {
    tm::Program unwound;
    throw std::runtime_error("the program's own");
  } catch (const std::runtime_error&) {
  }
  tm::LightMetalEndCapture();
  EXPECT_THAT(testing::names_of(*opened(file_)), ElementsAre("ProgramCreate", "ProgramDestroy"));
}

}  // namespace
}  // namespace lightmetal
