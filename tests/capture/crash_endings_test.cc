// Captured programs that end in every way there is, and that start others: their output and exit
// code are those of a run without capture, and the file holds what they did.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "tests/capture/crash_kit.h"

namespace lightmetal {
namespace {

using testing::expect_replays;
using testing::expect_same;
using ::testing::HasSubstr;
using testing::opened;
using testing::ProcessResult;
using testing::run_child;
using testing::TemporaryFolder;

class Ending : public ::testing::TestWithParam<const char*> {
 protected:
  TemporaryFolder folder_;
  const std::string file_ = folder_.path("captured.lmb");
};

class CutShort : public Ending {};
class Closed : public Ending {};

TEST_P(CutShort, LeavesAllWholeRecordsAndChangesNoEnd) {
  const ProcessResult plain = run_child(GetParam(), "");
  const ProcessResult captured = run_child(GetParam(), file_);
  expect_same(plain, captured);
  EXPECT_EQ(plain.errors, captured.errors);
  const auto file = opened(file_);
  ASSERT_NE(file, nullptr);
  EXPECT_FALSE(file->complete());
  EXPECT_GE(file->num_commands(), 160u);  // of 40 rounds
  expect_replays(file_, /*incomplete=*/true);
}

INSTANTIATE_TEST_SUITE_P(, CutShort,
                         ::testing::Values("_exit", "quick_exit", "terminate", "uncaught", "abort",
                                           "SIGTERM", "SIGSEGV", "fault", "kill", "own handler"));

TEST_P(Closed, LeavesAWholeFileAndChangesNoEnd) {
  expect_same(run_child(GetParam(), ""), run_child(GetParam(), file_));
  const auto file = opened(file_);
  ASSERT_NE(file, nullptr);
  EXPECT_TRUE(file->complete()) << file->incomplete_reason();
  EXPECT_GE(file->num_commands(), 160u);
  expect_replays(file_, /*incomplete=*/false);
}

INSTANTIATE_TEST_SUITE_P(, Closed,
                         ::testing::Values("nothing", "exit", "fail", "fork", "fork, _exit"));

// Without a capture, too: the threads of a device are not there in a child.
TEST(ForkedChild, ThatUsesTheDeviceOfItsParentGetsAnErrorThatSaysSo) {
  const ProcessResult result = run_child("fork, use device", "");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("opened before this process was forked"));
}

TEST(ForkedChild, GetsThatErrorFromEveryCallThatUsesTheDevice) {
  const ProcessResult result = run_child("fork, use device directly", "");
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  const std::vector<std::string> lines = absl::StrSplit(result.output, '\n', absl::SkipEmpty());
  ASSERT_EQ(lines.size(), 14u) << result.output;  // with that of the work before
  for (size_t i = 1; i < lines.size(); ++i) {
    EXPECT_THAT(lines[i], HasSubstr("opened before this process was forked")) << i;
  }
}

TEST(ForkedChild, ThatWaitsForAnEventOfItsParentGetsAnErrorThatSaysSo) {
  for (const char* what : {"fork, await event", "fork, query event"}) {
    const ProcessResult result = run_child(what, "");
    EXPECT_EQ(result.exit_code, 0) << what << result.errors;
    EXPECT_THAT(result.output, HasSubstr("opened before this process was forked")) << what;
  }
}

TEST(ForkedChild, MayOpenADeviceOfItsOwn) {
  const ProcessResult result = run_child("fork, own device", "");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
}

// The locks of the parent's threads stay held in the child, which has none of them.
TEST(ForkedChild, OfBusyThreadsEndsByExit) {
  const ProcessResult result = run_child("fork while busy", "");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("all have ended"));
}

class ForkedChildOfACapture : public Ending {};

TEST_F(ForkedChildOfACapture, OfBusyThreadsEndsByExit) {
  const ProcessResult result = run_child("fork while busy", file_);
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("all have ended"));
}

// Programs that start a captured one, with LIGHTMETAL_CAPTURE inherited.
class Starter : public Ending {};

TEST_P(Starter, KeepsItsFileAndTheOtherProgramRunsOnWithOneLine) {
  const ProcessResult captured = run_child(GetParam(), file_);
  expect_same(run_child(GetParam(), ""), captured);
  EXPECT_THAT(captured.errors, HasSubstr("another capture is writing to it"));
  EXPECT_EQ(std::count(captured.errors.begin(), captured.errors.end(), '\n'), 1);
  expect_replays(file_, /*incomplete=*/false);
}

TEST_P(Starter, GivesTheOtherProgramAFileOfItsOwnByProcessId) {
  const ProcessResult captured = run_child(GetParam(), folder_.path("%p.lmb"));
  expect_same(run_child(GetParam(), ""), captured);
  EXPECT_EQ(captured.errors, "");
  uint32_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    expect_replays(entry.path(), /*incomplete=*/false);
    ++files;
  }
  EXPECT_EQ(files, 2u);
}

INSTANTIATE_TEST_SUITE_P(, Starter,
                         ::testing::Values("fork, exec", "vfork, exec", "spawn", "system"));

class SignalTest : public Ending {};

TEST_F(SignalTest, ExitFromAHandlerThatInterruptsARecordEndsTheProgramWithOneLine) {
  const ProcessResult captured = run_child("exit from a signal", file_);
  expect_same(run_child("exit from a signal", ""), captured);
  EXPECT_EQ(captured.errors, "lightmetal: the capture to " + file_ +
                                 " is incomplete: the program ended inside a call that was being "
                                 "recorded\n");
  expect_replays(file_, /*incomplete=*/true);
}

class ExecTest : public Ending {};

TEST_F(ExecTest, TheNewImageLeavesTheFileOfTheOldOneAlone) {
  const ProcessResult captured = run_child("exec", file_);
  expect_same(run_child("exec", ""), captured);
  EXPECT_EQ(captured.errors, "");
  expect_replays(file_, /*incomplete=*/true);
  expect_replays(file_ + ".2", /*incomplete=*/false);
}

TEST_F(ExecTest, EveryImageHasAFile) {
  EXPECT_EQ(run_child("exec twice", file_).exit_code, 0);
  expect_replays(file_, /*incomplete=*/true);
  expect_replays(file_ + ".2", /*incomplete=*/true);
  expect_replays(file_ + ".3", /*incomplete=*/false);
}

}  // namespace
}  // namespace lightmetal
