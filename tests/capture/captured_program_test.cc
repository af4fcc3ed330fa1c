// Programs in which recording could be in the way: they do under LIGHTMETAL_CAPTURE what they do
// without, and their files replay. The programs are captured_program_child.cc's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <lightmetal/replay.hpp>
#include <map>
#include <string>

#include "schema/file/reader.h"
#include "schema/verify/verify.h"
#include "tests/support/process.h"

namespace lightmetal {
namespace {

using testing::ProcessResult;

class CapturedProgram : public ::testing::Test {
 protected:
  ProcessResult run(const std::string& what, std::map<std::string, std::string> environment = {}) {
    testing::ProcessOptions options;
    options.folder = folder_.path();
    options.environment = std::move(environment);
    return testing::run_process({LIGHTMETAL_CAPTURED_PROGRAM_CHILD, what}, options);
  }

  // The capture must not show in what the program does.
  void capture(const std::string& what, std::map<std::string, std::string> environment = {}) {
    const ProcessResult plain = run(what);
    ASSERT_EQ(plain.exit_code, 0) << plain.errors;
    environment["LIGHTMETAL_CAPTURE"] = "capture.lmb";
    const ProcessResult captured = run(what, environment);
    EXPECT_EQ(captured.exit_code, plain.exit_code);
    EXPECT_EQ(captured.output, plain.output);
    errors_ = captured.errors;
  }

  void replay() {
    EXPECT_EQ(errors_, "");
    auto replay = Replay::load_file(path_);
    ASSERT_TRUE(replay.ok()) << replay.status();
    const auto result = (*replay)->run();
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_TRUE(result->matches());
  }

  testing::TemporaryFolder folder_;
  const std::string path_ = folder_.path("capture.lmb");
  std::string errors_;
};

std::string name_of(const ::testing::TestParamInfo<std::string>& info) { return info.param; }

class CapturedProgramReplays : public CapturedProgram,
                               public ::testing::WithParamInterface<std::string> {};

TEST_P(CapturedProgramReplays, AndRunsAsBefore) {
  capture(GetParam());
  replay();
}

class AnnouncedProgramReplays : public CapturedProgramReplays {};

TEST_P(AnnouncedProgramReplays, AndRunsAsBefore) {
  capture(GetParam(), {{"LIGHTMETAL_CAPTURE_INTENTS", "1"}});
  replay();
}

const auto kPrograms =
    ::testing::Values("WriteBehindFewerArguments", "ReadWithoutWaitingBehindAFailure",
                      "GoOnAfterAFailedWait", "GoOnAfterAFailedLaunch", "GoOnAfterAWriteThatThrew",
                      "WriteWhileAWriteWaits", "QueryAfterClose", "LeaveAMeshOpen");

INSTANTIATE_TEST_SUITE_P(All, CapturedProgramReplays, kPrograms, name_of);
INSTANTIATE_TEST_SUITE_P(All, AnnouncedProgramReplays, kPrograms, name_of);
TEST_F(CapturedProgram, AFolderThatChangesBeforeTheFirstCallDoesNotMoveTheFile) {
  std::filesystem::create_directory(folder_.path("elsewhere"));
  capture("ChangeFolder");
  replay();
}

TEST_F(CapturedProgram, ItsOwnFilesHoldNothingOfTheCapturesWhoseDescriptorItHasClosed) {
  capture("WriteOwnFileAfterClosingAll");
  EXPECT_EQ(testing::read_file(folder_.path("own.txt")), "hello\nworld\n");
  replay();
  capture("WriteOwnFileAfterClosingAll", {{"LIGHTMETAL_CAPTURE_RING", "1M"}});
  EXPECT_EQ(testing::read_file(folder_.path("own.txt")), "hello\nworld\n");
  EXPECT_THAT(errors_, ::testing::HasSubstr("is incomplete"));
}

TEST_F(CapturedProgram, TheEndOfWhatASnapshotRecordedIsRecorded) {
  capture("EndHandlesDuringSnapshots", {{"LIGHTMETAL_CAPTURE_RING", "1M"}});
  const auto file = schema::File::open(path_);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(schema::verify(**file), absl::OkStatus());
}

}  // namespace
}  // namespace lightmetal
