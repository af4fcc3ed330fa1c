// Captures of real programs: what is recorded, what a program may do meanwhile, how errors are
// reported.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <lightmetal/capture.hpp>
#include <lightmetal/replay.hpp>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/lightmetal_replay.hpp>
#include <tt-metalium/tt_metal.hpp>
#include <vector>

#include "schema/commands/calls.h"
#include "schema/verify/verify.h"
#include "tests/support/captured_file.h"
#include "tests/support/every_call.h"
#include "tests/support/process.h"
#include "tests/support/thrown_by.h"

namespace tt::tt_metal {
namespace {

using ::lightmetal::testing::commands_of;
using ::lightmetal::testing::names_of;
using ::lightmetal::testing::open_file;
using ::lightmetal::testing::ProcessResult;
using ::lightmetal::testing::read_file;
using ::lightmetal::testing::run_process;
using ::lightmetal::testing::TemporaryFolder;
using ::lightmetal::testing::thrown_by;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

namespace schema = ::lightmetal::schema;

std::shared_ptr<Buffer> page_on(IDevice* device) {
  return CreateBuffer(InterleavedBufferConfig{.device = device, .size = 64, .page_size = 64});
}

// Replays while capturing.
LightMetalBinary captured_replay(const LightMetalBinary& binary, bool read_goldens) {
  auto replay = ::lightmetal::Replay::load_bytes(binary.get_data());
  EXPECT_TRUE(replay.ok()) << replay.status();
  if (!replay.ok()) return {};
  LightMetalBeginCapture({.read_goldens = read_goldens});
  const auto result = (*replay)->run();
  EXPECT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(!result.ok() || result->matches());
  return LightMetalEndCapture();
}

// On the null device, where kernels cost nothing.
class CaptureTest : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("LIGHTMETAL_DEVICE", "null", 1);
    setenv("LIGHTMETAL_CAPTURE_ORIGIN", "0", 1);  // equal captures are equal files
  }
  void TearDown() override {
    unsetenv("LIGHTMETAL_DEVICE");
    unsetenv("LIGHTMETAL_CAPTURE_ORIGIN");
  }

  TemporaryFolder folder_;
};

TEST_F(CaptureTest, EveryCommandComesFromARealCall) {
  LightMetalBeginCapture({.read_goldens = true});
  make_every_call();
  EXPECT_THROW(EventSynchronize(std::make_shared<Event>()), std::runtime_error);  // CallFailed
  const LightMetalBinary binary = LightMetalEndCapture();
  std::set<std::string> expected;
  schema::for_each_call_type([&]<class Call>(std::type_identity<Call>) {
    expected.insert(schema::EnumNameCall(schema::CallTraits<Call>::enum_value));
  });
  const auto file = open_file(binary);
  const std::vector<std::string> names = names_of(*file);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()), expected);
  EXPECT_EQ(schema::verify(*file), absl::OkStatus());
}

TEST_F(CaptureTest, AReplayThatIsCapturedGivesTheSameFile) {
  for (const bool read_goldens : {false, true}) {
    LightMetalBeginCapture({.read_goldens = read_goldens});
    make_every_call();
    const LightMetalBinary binary = LightMetalEndCapture();
    const LightMetalBinary again = captured_replay(binary, read_goldens);
    EXPECT_EQ(names_of(*open_file(again)), names_of(*open_file(binary)));
    EXPECT_TRUE(again.get_data() == binary.get_data());
  }
}

TEST_F(CaptureTest, AFileAndABinaryHoldTheSameBytes) {
  const std::string path = folder_.path("streamed.lmb");
  LightMetalBeginCapture();
  make_every_call();
  const LightMetalBinary binary = LightMetalEndCapture();
  LightMetalBeginCapture({.path = path});
  make_every_call();
  EXPECT_TRUE(LightMetalEndCapture().is_empty());
  binary.save_to_file(folder_.path("saved.lmb"));
  const LightMetalBinary streamed = LightMetalBinary::load_from_file(path);
  EXPECT_EQ(LightMetalBinary::load_from_file(folder_.path("saved.lmb")).get_data(),
            binary.get_data());
  EXPECT_EQ(streamed.get_data(), binary.get_data());
}

TEST_F(CaptureTest, AnEmptyBinaryIsAnEmptyFileAndAFolderIsNoBinary) {
  const std::string path = folder_.path("empty.lmb");
  std::ofstream(path) << "what was there";
  LightMetalBinary().save_to_file(path);
  EXPECT_EQ(read_file(path), "");
  EXPECT_TRUE(LightMetalBinary::load_from_file(path).is_empty());
  EXPECT_THAT(thrown_by([&] { LightMetalBinary::load_from_file(folder_.path()); }),
              HasSubstr("it is a folder"));
}

TEST_F(CaptureTest, OpenDevicesAreRecordedFirstInTheOrderOfTheirChips) {
  IDevice* second = CreateDevice(3);
  IDevice* first = CreateDevice(1);
  LightMetalBeginCapture();
  auto buffer = page_on(second);
  const auto commands = commands_of(*open_file(LightMetalEndCapture()));
  ASSERT_EQ(commands.size(), 3u);
  EXPECT_EQ(commands[0].call.AsCreateDevice()->chip_id, 1u);
  EXPECT_EQ(commands[1].call.AsCreateDevice()->chip_id, 3u);
  EXPECT_EQ(commands[2].call.AsBufferCreate()->device, 2u);
  CloseDevice(first);
  CloseDevice(second);
}

// One that no snapshot can hold: where its circular buffer lies, no device and no buffer can tell.
Program lost_program() {
  IDevice* device = CreateDevice(0);
  auto memory = CreateBuffer(InterleavedBufferConfig{
      .device = device, .size = 64, .page_size = 64, .buffer_type = BufferType::L1});
  Program program = CreateProgram();
  CreateCircularBuffer(
      program, CoreCoord(0, 0),
      CircularBufferConfig(64, {{0, tt::DataFormat::UInt32}}, *memory).set_page_size(0, 64));
  memory.reset();
  CloseDevice(device);
  return program;
}

TEST_F(CaptureTest, UseOfWhatTheSnapshotLeavesOutIsReportedByEndAndTheProgramGoesOn) {
  Program lost = lost_program();
  LightMetalBeginCapture();
  CreateSemaphore(lost, CoreRange({0, 0}), 0);
  IDevice* device = CreateDevice(0);
  auto young = page_on(device);
  std::vector<uint32_t> data(16, 1);
  EnqueueWriteBuffer(device->command_queue(), young, data, true);
  EXPECT_THAT(thrown_by([] { LightMetalEndCapture(); }),
              AllOf(HasSubstr("the capture is incomplete"), HasSubstr("CreateSemaphore"),
                    HasSubstr("Program of 0 kernels that was created before the capture began")));
  CloseDevice(device);
}

TEST_F(CaptureTest, TheFileOfAFailedCaptureSaysSo) {
  Program lost = lost_program();
  const std::string path = folder_.path("failed.lmb");
  LightMetalBeginCapture({.path = path});
  CreateSemaphore(lost, CoreRange({0, 0}), 0);
  EXPECT_NE(thrown_by([] { LightMetalEndCapture(); }), "");
  const auto file = schema::File::open(path);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_FALSE((*file)->complete());
  EXPECT_THAT(std::string((*file)->capture_status().message()), HasSubstr("CreateSemaphore"));
}

TEST_F(CaptureTest, TheEndOfAnOlderObjectIsRecorded) {
  IDevice* device = CreateDevice(0);
  auto buffer = page_on(device);
  auto event = std::make_shared<Event>();
  auto program = std::make_unique<Program>();
  LightMetalBeginCapture();
  DeallocateBuffer(*buffer);
  buffer.reset();
  event.reset();
  program.reset();
  EXPECT_THAT(
      names_of(*open_file(LightMetalEndCapture())),
      ElementsAre("CreateDevice", "BufferCreate", "ProgramCreate", "ClearBuffer", "EventCreate",
                  "BufferDeallocate", "BufferDestroy", "EventDestroy", "ProgramDestroy"));
  CloseDevice(device);
}

TEST_F(CaptureTest, TheEndOfWhatTheSnapshotLeavesOutIsNoError) {
  auto lost = std::make_unique<Program>(lost_program());
  LightMetalBeginCapture();
  lost.reset();
  EXPECT_THAT(names_of(*open_file(LightMetalEndCapture())), ::testing::IsEmpty());
}

TEST_F(CaptureTest, ObjectsMayOutliveTheCapture) {
  IDevice* device = CreateDevice(0);
  LightMetalBeginCapture();
  auto buffer = page_on(device);
  auto program = std::make_unique<Program>();
  EXPECT_FALSE(LightMetalEndCapture().is_empty());
  program.reset();
  buffer.reset();
  CloseDevice(device);
}

TEST_F(CaptureTest, ABufferThatAProgramKeepsAliveEndsWithIt) {
  IDevice* device = CreateDevice(0);
  LightMetalBeginCapture();
  {
    Program program;
    auto buffer = page_on(device);
    AssignGlobalBufferToProgram(buffer, program);
    buffer.reset();
  }
  const LightMetalBinary binary = LightMetalEndCapture();
  CloseDevice(device);
  EXPECT_THAT(names_of(*open_file(binary)),
              ElementsAre("CreateDevice", "ProgramCreate", "BufferCreate",
                          "AssignGlobalBufferToProgram", "ProgramDestroy", "BufferDestroy"));
  EXPECT_TRUE(captured_replay(binary, false).get_data() == binary.get_data());
}

TEST_F(CaptureTest, ASecondBeginThrowsAndTheFirstCaptureGoesOn) {
  const std::string path = folder_.path("first.lmb");
  IDevice* device = CreateDevice(0);
  LightMetalBeginCapture({.path = path});
  EXPECT_THAT(thrown_by([] { LightMetalBeginCapture(); }), HasSubstr("a capture runs already"));
  EXPECT_NE(thrown_by([&] { LightMetalBeginCapture({.path = path}); }), "");
  auto buffer = page_on(device);
  LightMetalEndCapture();
  EXPECT_THAT(names_of(*open_file(LightMetalBinary::load_from_file(path))),
              ElementsAre("CreateDevice", "BufferCreate"));
  CloseDevice(device);
}

TEST_F(CaptureTest, AForkedChildThatCapturesToAFileIsNotGivenWhatItsParentHasInMemory) {
  IDevice* device = CreateDevice(0);
  LightMetalBeginCapture();
  auto buffer = page_on(device);
  const pid_t child = fork();
  if (child == 0) {
    LightMetalBeginCapture({.path = folder_.path("child.lmb")});
    _exit(LightMetalEndCapture().get_data().empty() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_THAT(names_of(*open_file(LightMetalEndCapture())),
              ElementsAre("CreateDevice", "BufferCreate"));
  CloseDevice(device);
}

TEST_F(CaptureTest, EndWithoutBeginThrows) {
  EXPECT_THAT(thrown_by([] { LightMetalEndCapture(); }), HasSubstr("no capture was begun"));
}

TEST_F(CaptureTest, AFileThatCannotBeCreatedIsReportedByBegin) {
  EXPECT_THAT(thrown_by([] { LightMetalBeginCapture({.path = "/no/such/folder/x.lmb"}); }),
              HasSubstr("/no/such/folder/x.lmb"));
  EXPECT_NE(thrown_by([] { LightMetalEndCapture(); }), "");
}

TEST_F(CaptureTest, ARefusedBeginLeavesTheFileThatIsThere) {
  const std::string path = folder_.path("kept.lmb");
  std::ofstream(path) << "what was there";
  EXPECT_THAT(thrown_by([&] { LightMetalBeginCapture({.path = path, .compress = 1000}); }),
              HasSubstr("not 1000"));
  EXPECT_THAT(thrown_by([&] { LightMetalBeginCapture({.path = path, .ring_size = 1000}); }),
              HasSubstr("not 1000"));
  EXPECT_EQ(read_file(path), "what was there");
  EXPECT_THAT(thrown_by([] { LightMetalEndCapture(); }), HasSubstr("no capture was begun"));
}

TEST_F(CaptureTest, ReadsAreGoldensOnlyWhenAskedFor) {
  for (const bool read_goldens : {false, true}) {
    IDevice* device = CreateDevice(0);
    LightMetalBeginCapture({.read_goldens = read_goldens});
    auto buffer = page_on(device);
    std::vector<float> data;
    EnqueueReadBuffer(device->command_queue(), buffer, data, /*blocking=*/false);
    Finish(device->command_queue());
    const auto commands = commands_of(*open_file(LightMetalEndCapture()));
    CloseDevice(device);
    const auto* read = commands.at(2).call.AsEnqueueReadBuffer();
    ASSERT_NE(read, nullptr);
    EXPECT_EQ(read->golden != nullptr, read_goldens);
    EXPECT_EQ(read->element_type, schema::ElementType::Float32);
    EXPECT_FALSE(read->blocking);
  }
}

// On the CPU device, whose memory keeps what is written.
class FourThreads : public ::testing::Test {
 protected:
  // Each thread writes and reads buffers of its own through its own queue.
  static void work(IDevice* device, uint8_t queue, uint32_t seed) {
    CommandQueue& cq = device->command_queue(queue);
    for (uint32_t i = 0; i < 20; ++i) {
      auto buffer =
          CreateBuffer(InterleavedBufferConfig{.device = device, .size = 4096, .page_size = 1024});
      const std::vector<uint32_t> written(1024, seed + i);
      std::vector<uint32_t> read;
      EnqueueWriteBuffer(cq, buffer, written, /*blocking=*/false);
      auto event = std::make_shared<Event>();
      EnqueueRecordEvent(cq, event);
      EventSynchronize(event);
      EnqueueReadBuffer(cq, buffer, read, /*blocking=*/true);
      ASSERT_EQ(read, written);
    }
  }
};

TEST_F(FourThreads, OnFourQueuesGiveAFileThatReplays) {
  const std::vector<IDevice*> devices = {CreateDevice(0, 2), CreateDevice(1, 2)};
  LightMetalBeginCapture({.read_goldens = true});
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < 4; ++i)
    threads.emplace_back(work, devices[i % 2], static_cast<uint8_t>(i / 2), 1000 * i);
  for (std::thread& thread : threads) thread.join();
  const LightMetalBinary binary = LightMetalEndCapture();
  for (IDevice* device : devices) CloseDevice(device);

  EXPECT_EQ(schema::verify(*open_file(binary)), absl::OkStatus());
  auto replay = ::lightmetal::Replay::load_bytes(binary.get_data());
  ASSERT_TRUE(replay.ok()) << replay.status();
  const auto result = (*replay)->run();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->goldens_checked, 80u);
  EXPECT_TRUE(result->matches());
}

// LIGHTMETAL_CAPTURE on a program of its own; see capture_child.cc.
class EnvironmentCapture : public ::testing::Test {
 protected:
  ProcessResult run_child(const std::string& what, const std::string& file,
                          std::map<std::string, std::string> environment = {}) {
    environment["LIGHTMETAL_CAPTURE"] = file;
    environment["LIGHTMETAL_DEVICE"] = "null";
    lightmetal::testing::ProcessOptions options;
    options.environment = environment;
    return run_process({LIGHTMETAL_CAPTURE_CHILD, what}, options);
  }

  std::vector<std::string> names_in(const std::string& path) {
    const auto file = schema::File::open(path);
    EXPECT_TRUE(file.ok()) << file.status();
    if (!file.ok()) return {};
    EXPECT_TRUE((*file)->complete()) << (*file)->incomplete_reason();
    return names_of(**file);
  }

  TemporaryFolder folder_;
  const std::string path_ = folder_.path("child.lmb");
};

TEST_F(EnvironmentCapture, CapturesAnUnmodifiedProgramWithItsReads) {
  const ProcessResult child = run_child("whole", path_);
  EXPECT_EQ(child.exit_code, 0) << child.errors;
  EXPECT_EQ(child.errors, "");
  EXPECT_THAT(names_in(path_),
              ElementsAre("ProgramCreate", "CreateDevice", "BufferCreate", "EnqueueReadBuffer",
                          "BufferDestroy", "CloseDevice", "ProgramDestroy"));
  auto replay = ::lightmetal::Replay::load_file(path_);
  ASSERT_TRUE(replay.ok()) << replay.status();
  const auto result = (*replay)->run();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->goldens_checked, 1u);
}

TEST_F(EnvironmentCapture, ReadGoldensCanBeSwitchedOff) {
  EXPECT_EQ(run_child("whole", path_, {{"LIGHTMETAL_CAPTURE_READ_GOLDENS", "0"}}).exit_code, 0);
  const auto file = schema::File::open(path_);
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE((*file)->blobs().empty());
}

TEST_F(EnvironmentCapture, AProgramThatLeavesEverythingOpenIsCapturedToItsExit) {
  const ProcessResult child = run_child("leave open", path_);
  EXPECT_EQ(child.exit_code, 7) << child.errors;
  EXPECT_EQ(child.errors, "");
  EXPECT_THAT(names_in(path_), AllOf(Contains("BufferCreate"), Not(Contains("CloseDevice"))));
}

TEST_F(EnvironmentCapture, WithoutACallThereIsNoFile) {
  EXPECT_EQ(run_child("nothing", path_).exit_code, 0);
  EXPECT_FALSE(std::ifstream(path_).good());
}

TEST_F(EnvironmentCapture, APathWithTheProcessIdIsExpanded) {
  const ProcessResult child = run_child("print pid", folder_.path("c-%p.lmb"));
  EXPECT_EQ(names_in(folder_.path("c-" + child.output + ".lmb")),
            std::vector<std::string>{"ProgramCreate"});
}

TEST_F(EnvironmentCapture, AFileThatCannotBeWrittenIsOneLineAndChangesNothing) {
  const ProcessResult child = run_child("leave open", "/no/such/folder/x.lmb");
  EXPECT_EQ(child.exit_code, 7);
  EXPECT_THAT(child.errors, HasSubstr("the capture to /no/such/folder/x.lmb did not begin: "));
  EXPECT_EQ(std::count(child.errors.begin(), child.errors.end(), '\n'), 1);
}

// Also not with the choice that the variable did not make: it could be the wrong one.
TEST_F(EnvironmentCapture, AVariableThatSaysNothingBeginsNoCapture) {
  for (const auto& [name, value] :
       std::multimap<std::string, std::string>{{"READ_GOLDENS", "maybe"},
                                               {"INTENTS", "2"},
                                               {"ORIGIN", "maybe"},
                                               {"COMPRESS", "maybe"},
                                               {"COMPRESS", "20"},
                                               {"COMPRESS", "-1"},
                                               {"PAYLOADS", "maybe"},
                                               {"GOLDEN", "maybe"},
                                               {"RING", "maybe"}}) {
    const std::string variable = "LIGHTMETAL_CAPTURE_" + name;
    const ProcessResult child = run_child("whole", path_, {{variable, value}});
    EXPECT_EQ(child.exit_code, 0);
    EXPECT_THAT(child.errors,
                HasSubstr("the capture to " + path_ + " does not begin: " + variable));
    EXPECT_EQ(std::count(child.errors.begin(), child.errors.end(), '\n'), 1) << child.errors;
    EXPECT_FALSE(std::filesystem::exists(path_)) << variable;
  }
}

TEST_F(EnvironmentCapture, AnEmptyVariableIsNoChoice) {
  std::map<std::string, std::string> empty;
  for (const char* name :
       {"READ_GOLDENS", "INTENTS", "ORIGIN", "COMPRESS", "PAYLOADS", "GOLDEN", "RING"}) {
    empty[std::string("LIGHTMETAL_CAPTURE_") + name] = "";
  }
  EXPECT_EQ(run_child("whole", path_, empty).errors, "");
  const auto file = schema::File::open(path_);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_TRUE((*file)->session().origin.has_value());
  EXPECT_THAT((*file)->session().options,
              ElementsAre(std::pair<std::string, std::string>("read_goldens", "1")));
}

TEST_F(EnvironmentCapture, TheFileSaysWhatTheVariablesAskFor) {
  using Option = std::pair<std::string, std::string>;
  EXPECT_EQ(run_child("whole", path_,
                      {{"LIGHTMETAL_CAPTURE_READ_GOLDENS", "0"},
                       {"LIGHTMETAL_CAPTURE_INTENTS", "1"},
                       {"LIGHTMETAL_CAPTURE_ORIGIN", "0"},
                       {"LIGHTMETAL_CAPTURE_COMPRESS", "19"},
                       {"LIGHTMETAL_CAPTURE_PAYLOADS", "reference"},
                       {"LIGHTMETAL_CAPTURE_GOLDEN", "ulp:1"}})
                .errors,
            "");
  const auto file = schema::File::open(path_);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_FALSE((*file)->session().origin.has_value());
  EXPECT_THAT((*file)->session().options,
              ElementsAre(Option("read_goldens", "0"), Option("compress", "19"),
                          Option("payloads", "reference"), Option("golden", "ulp:1")));
  EXPECT_THAT(::lightmetal::testing::frame_types_of(**file), Contains(schema::FrameType::Intent));
}

// Neither file knows of the other capture. More of it is in nested_capture_test.cc.
TEST_F(EnvironmentCapture, AProgramsOwnCapturesAndTheEnvironmentsAreWholeOneWithinTheOther) {
  const std::string own = folder_.path("own.lmb"), alone = folder_.path("alone.lmb"),
                    without = folder_.path("without.lmb");
  const std::pair<const std::string, std::string> no_origin = {"LIGHTMETAL_CAPTURE_ORIGIN", "0"};
  const ProcessResult both = run_child("own capture", path_, {{"OWN_CAPTURE", own}, no_origin});
  EXPECT_EQ(both.exit_code, 0) << both.errors;
  EXPECT_EQ(both.errors, "");
  EXPECT_THAT(both.output, HasSubstr("in memory: 1"));
  EXPECT_THAT(names_in(own), AllOf(Contains("CreateDevice"), Contains("EnqueueReadBuffer"),
                                   Contains("KernelBinary"), Not(Contains("CloseDevice"))));
  EXPECT_EQ(run_child("own capture", "", {{"OWN_CAPTURE", alone}, no_origin}).exit_code, 0);
  EXPECT_EQ(run_child("own capture", without, {no_origin}).exit_code, 0);
  EXPECT_THAT(names_in(path_), AllOf(Contains("CloseDevice"), Contains("EnqueueWriteBuffer")));
  EXPECT_TRUE(read_file(own) == read_file(alone));
  EXPECT_TRUE(read_file(path_) == read_file(without));
  for (const std::string& path : {own, path_}) {
    const auto file = schema::File::open(path);
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_EQ(schema::verify(**file), absl::OkStatus()) << path;
  }
}

TEST_F(EnvironmentCapture, AForkedChildLeavesItsParentsFileAlone) {
  const ProcessResult child = run_child("fork", path_);
  EXPECT_EQ(child.exit_code, 0) << child.errors;
  EXPECT_THAT(names_in(path_),
              ElementsAre("ProgramCreate", "ProgramDestroy", "ProgramCreate", "ProgramDestroy"));
}

TEST_F(EnvironmentCapture, AKilledProgramLeavesWhatItHasDone) {
  const ProcessResult child = run_child("die", path_);
  EXPECT_GE(child.exit_code, 128);
  const auto file = schema::File::open(path_);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_FALSE((*file)->complete());
  EXPECT_THAT(names_of(**file), ElementsAre("CreateDevice", "BufferCreate"));
  auto replay = ::lightmetal::Replay::load(*file, {.allow_incomplete = true});
  ASSERT_TRUE(replay.ok()) << replay.status();
  EXPECT_TRUE((*replay)->run().ok());
}

}  // namespace
}  // namespace tt::tt_metal
