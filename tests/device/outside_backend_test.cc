// A backend that is built outside of this project against the install tree, and used by its path.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/install_tree.h"

namespace lightmetal::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class OutsideBackend : public InstallTree {
 protected:
  static void SetUpTestSuite() {
    ASSERT_NO_FATAL_FAILURE(InstallTree::SetUpTestSuite());
    ASSERT_NO_FATAL_FAILURE(build(kSource, "outside_backend"));
    ASSERT_NO_FATAL_FAILURE(capture());
  }

  static std::string library() { return folder_->path("outside_backend/libpaged_memory.so"); }
  static std::string file() { return folder_->path("copy.lmb"); }

  // A program that knows nothing of the backend, captured on it.
  static void capture() {
    const ProcessResult result = run_process({folder_->path("outside_backend/copy")},
                                             {.environment = {{"LIGHTMETAL_DEVICE", library()},
                                                              {"LIGHTMETAL_CAPTURE_ORIGIN", "0"},
                                                              {"LIGHTMETAL_CAPTURE", file()}}});
    ASSERT_EQ(result.exit_code, 0) << result.output << result.errors;
    ASSERT_EQ(result.output, "copied: true\n");
  }

  static ProcessResult run(std::vector<std::string> arguments,
                           std::map<std::string, std::string> environment = {}) {
    arguments.insert(arguments.begin(), runner());
    return run_process(arguments, {.environment = std::move(environment)});
  }

  static void expect_refused(const ProcessResult& result, const std::string& text) {
    EXPECT_EQ(result.exit_code, 2) << result.output;
    EXPECT_THAT(result.errors, HasSubstr(text));
  }

  static inline const std::string kSource = LIGHTMETAL_SOURCE_FOLDER "/tests/outside_backend";
};

TEST_F(OutsideBackend, PassesTheConformanceSuiteButForItsGaps) {
  const ProcessResult result =
      run_process({folder_->path("installed/bin/lightmetal_backend_check"), "--device", library(),
                   "--gaps", kSource + "/gaps.txt"});
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  EXPECT_THAT(result.output, HasSubstr("[  PASSED  ]"));
}

TEST_F(OutsideBackend, FailsTheSuiteWithoutItsGaps) {
  const ProcessResult result =
      run_process({folder_->path("installed/bin/lightmetal_backend_check"), "--device", library(),
                   "--gtest_filter=*KernelsReachDram*:*DramKeeps*"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, AllOf(HasSubstr("no native function stands for this kernel"),
                                   HasSubstr("OK ] Conformance.DramKeepsWhatIsWritten")));
}

TEST_F(OutsideBackend, ReplaysWhatWasCapturedOnIt) {
  const ProcessResult result = run({file(), "--device", library()});
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  EXPECT_THAT(result.output, HasSubstr("1 golden matched"));
}

TEST_F(OutsideBackend, IsFoundByItsNameInAFolder) {
  const std::map<std::string, std::string> folders = {
      {"LIGHTMETAL_DEVICE_PATH", folder_->path("outside_backend")}};
  const ProcessResult result = run({file(), "--device", "paged_memory"}, folders);
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
}

// Only what a person says is loaded: of a file, neither the name nor where it was found.
TEST_F(OutsideBackend, FileThatNamesItLoadsNothing) {
  EXPECT_THAT(read_file(file()), AllOf(HasSubstr("paged_memory"), Not(HasSubstr(library()))));
  const std::map<std::string, std::string> folders = {
      {"LIGHTMETAL_DEVICE_PATH", folder_->path("outside_backend")}};
  expect_refused(run({file()}),
                 "no device is called \"paged_memory\"; known devices: cpu, null; that of a "
                 "library is loaded on request (--device PATH)");
  expect_refused(run({file()}, folders), "no device is called \"paged_memory\"");
}

TEST_F(OutsideBackend, KernelsOfItDoNotRunElsewhere) {
  expect_refused(run({file(), "--device", "cpu"}), "paged_memory-native-1");
}

TEST_F(OutsideBackend, IsRefusedByTheSandboxThatCannotHoldIt) {
  expect_refused(run({file(), "--device", library(), "--sandbox"}),
                 "the sandbox holds kernels of the built-in backends alone");
  const ProcessResult result =
      run({file(), "--device", library(), "--sandbox=best-effort", "--trust"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("warning: the sandbox holds kernels of the built-in"));
}

TEST_F(OutsideBackend, LibrariesThatAreNoneEndTheRunnerWithOneLine) {
  const std::string text = folder_->path("libtext.so");
  write_file(text, "no library");
  for (const auto& [path, reason] : std::vector<std::pair<std::string, std::string>>{
           {folder_->path("libmissing.so"), "No such file or directory"},
           {text, " is no backend: it cannot be loaded as a shared library: file too short"}}) {
    const ProcessResult result = run({file(), "--device", path});
    expect_refused(result, reason);
    EXPECT_THAT(result.errors, HasSubstr(path));
    EXPECT_EQ(std::ranges::count(result.errors, '\n'), 1) << result.errors;
  }
}

}  // namespace
}  // namespace lightmetal::testing
