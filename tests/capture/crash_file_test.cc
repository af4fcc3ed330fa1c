// Programs that get in the way of their capture's file: they close its descriptor or take its
// number, cut it short, move it, and handle the signals of memory themselves. They do what they do
// without a capture, and no record lies in a file of theirs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "tests/capture/crash_kit.h"

namespace lightmetal {
namespace {

using testing::expect_replays;
using testing::expect_same;
using ::testing::HasSubstr;
using testing::ProcessResult;
using testing::run_child;
using testing::TemporaryFolder;

class FileInTheWay : public ::testing::TestWithParam<const char*> {
 protected:
  // Returns what the captured run says.
  std::string run() {
    const ProcessResult captured = run_child(GetParam(), file_);
    expect_same(run_child(GetParam(), ""), captured);
    return captured.errors;
  }

  void expect_one_line(const std::string& errors, const std::string& reason) {
    EXPECT_THAT(errors, HasSubstr(reason));
    EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 1) << errors;
  }

  TemporaryFolder folder_;
  const std::string file_ = folder_.path("captured.lmb");
};

class DescriptorTaken : public FileInTheWay {};

TEST_P(DescriptorTaken, HarmsNeitherTheProgramsFilesNorTheCapture) {
  EXPECT_EQ(run(), "");
  expect_replays(file_, /*incomplete=*/false);
}

INSTANTIATE_TEST_SUITE_P(, DescriptorTaken, ::testing::Values("close all", "duplicate"));

class FileMoved : public FileInTheWay {};

TEST_P(FileMoved, WithoutADescriptorEndsTheCaptureWithOneLine) {
  expect_one_line(run(), "cannot write to " + file_);
  EXPECT_FALSE(std::filesystem::exists(file_));
  expect_replays(file_ + ".moved", /*incomplete=*/true);
}

INSTANTIATE_TEST_SUITE_P(, FileMoved, ::testing::Values("move, close all"));

class FileCutShort : public FileInTheWay {};

TEST_P(FileCutShort, HarmsNoProgramAndIsOneLine) {
  expect_one_line(run(), "it was cut short while it was written");
}

INSTANTIATE_TEST_SUITE_P(, FileCutShort,
                         ::testing::Values("truncate", "handle, truncate", "block, truncate"));

class OwnBusError : public FileInTheWay {};

TEST_P(OwnBusError, EndsTheProgramAsWithoutACapture) {
  run();
  expect_replays(file_, /*incomplete=*/true);
}

INSTANTIATE_TEST_SUITE_P(, OwnBusError,
                         ::testing::Values("own bus error", "own bus error, handled"));

}  // namespace
}  // namespace lightmetal
