// Programs that fork, under LIGHTMETAL_CAPTURE: each process has its own file, or a line says why
// it has none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <lightmetal/replay.hpp>
#include <string>
#include <vector>

#include "tests/support/process.h"

namespace lightmetal::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

struct Forks {
  const char* program;
  size_t files = 1;    // of the processes that use the API, where the path has %p
  size_t refused = 1;  // the processes that get a line where it has not
};

void PrintTo(const Forks& forks, std::ostream* out) { *out << forks.program; }

const Forks kForks[] = {
    {"child"},
    {"grandchild"},
    {"all three", 3, 2},
    {"both", 2, 1},
    {"used before", 2, 1},
    {"open meanwhile", 2, 1},
    {"idle child", 1, 0},
};

std::vector<std::string> files_in(const TemporaryFolder& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    files.push_back(entry.path().string());
  std::ranges::sort(files);
  return files;
}

size_t num_lines(const std::string& text) {
  return static_cast<size_t>(std::ranges::count(text, '\n'));
}

void expect_replays(const std::string& file, const LoadOptions& options = {}) {
  const auto replay = Replay::load_file(file, options);
  ASSERT_TRUE(replay.ok()) << file << ": " << replay.status();
  const auto result = (*replay)->run();
  ASSERT_TRUE(result.ok()) << file << ": " << result.status();
  EXPECT_TRUE(result->matches());
}

ProcessResult captured(const std::string& program, const std::string& path) {
  return run_process({LIGHTMETAL_FORKED_CAPTURE_CHILD, program},
                     {.environment = {{"LIGHTMETAL_CAPTURE", path}}});
}

class ForkedCaptureTest : public ::testing::TestWithParam<Forks> {
 protected:
  const TemporaryFolder folder_;
};

TEST_P(ForkedCaptureTest, EachProcessThatUsesTheApiHasItsFileByThePathsProcessId) {
  const ProcessResult result = captured(GetParam().program, folder_.path("%p.lmb"));
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.errors, "");
  const std::vector<std::string> files = files_in(folder_);
  EXPECT_THAT(files, SizeIs(GetParam().files));
  for (const std::string& file : files) expect_replays(file);
}

TEST_P(ForkedCaptureTest, AChildThatWouldShareItsParentsFileSaysInOneLineThatItIsNotCaptured) {
  const ProcessResult result = captured(GetParam().program, folder_.path("one.lmb"));
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(num_lines(result.errors), GetParam().refused) << result.errors;
  if (GetParam().refused != 0) {
    EXPECT_THAT(result.errors, HasSubstr("was forked by a captured program and is not captured"));
    EXPECT_THAT(result.errors, HasSubstr("%p in LIGHTMETAL_CAPTURE gives each process its own"));
  }
  // The parent's file is the parent's.
  const std::vector<std::string> files = files_in(folder_);
  EXPECT_THAT(files, SizeIs(GetParam().files > GetParam().refused ? 1 : 0));
  for (const std::string& file : files) expect_replays(file);
}

INSTANTIATE_TEST_SUITE_P(Programs, ForkedCaptureTest, ::testing::ValuesIn(kForks),
                         [](const auto& info) {
                           std::string name = info.param.program;
                           std::ranges::replace(name, ' ', '_');
                           return name;
                         });

// Python's multiprocessing ends its children in this way: no exit handler runs.
TEST(ForkedCaptureEndTest, AChildThatEndsWithoutExitHandlersLeavesAFileThatReplays) {
  const TemporaryFolder folder;
  const ProcessResult result = captured("child that ends by _exit", folder.path("%p.lmb"));
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  ASSERT_THAT(files_in(folder), SizeIs(1));
  expect_replays(files_in(folder)[0], {.allow_incomplete = true});
}

TEST(ForkedCaptureEndTest, AFlightRecorderOfAChildIsItsOwn) {
  const TemporaryFolder folder;
  const ProcessResult result =
      run_process({LIGHTMETAL_FORKED_CAPTURE_CHILD, "open meanwhile"},
                  {.environment = {{"LIGHTMETAL_CAPTURE", folder.path("%p.lmb")},
                                   {"LIGHTMETAL_CAPTURE_RING", "1M"}}});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.errors, "");
  EXPECT_THAT(files_in(folder), SizeIs(2));
  for (const std::string& file : files_in(folder)) expect_replays(file);
}

TEST(ForkedCaptureEndTest, AProcessThatIsStartedByVforkAndExecHasItsFile) {
  const TemporaryFolder folder;
  const ProcessResult result = captured("vfork and exec", folder.path("%p.lmb"));
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  ASSERT_THAT(files_in(folder), SizeIs(1));
  expect_replays(files_in(folder)[0]);
}

TEST(ForkedCaptureEndTest, WhatACapturedChildBecomesByExecHasTheNextFile) {
  const TemporaryFolder folder;
  const ProcessResult result = captured("used, then exec", folder.path("%p.lmb"));
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  const std::vector<std::string> files = files_in(folder);
  ASSERT_THAT(files, SizeIs(2));
  EXPECT_EQ(files[1], files[0] + ".2");
  expect_replays(files[0], {.allow_incomplete = true});
  expect_replays(files[1]);
}

}  // namespace
}  // namespace lightmetal::testing
