// Each example as a person runs it: captured, replayed alone, checked.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/process.h"

namespace lightmetal::testing {
namespace {

namespace fs = std::filesystem;

const std::string kBin = LIGHTMETAL_BIN_FOLDER;
const std::string kRunner = kBin + "/lightmetal_runner";

class Example : public ::testing::TestWithParam<const char*> {
 protected:
  // Runs the example with its kernels in a folder of the test's own, so that they can be taken
  // away.
  std::string capture() {
    fs::copy(LIGHTMETAL_EXAMPLES_FOLDER, folder_.path("examples"), fs::copy_options::recursive);
    const std::string file = folder_.path("example.lmb");
    const ProcessResult result =
        run_process({kBin + "/" + GetParam(), "--capture", file},
                    {.environment = {{"LIGHTMETAL_CAPTURE_ORIGIN", "0"},
                                     {"LIGHTMETAL_EXAMPLES", folder_.path("examples")},
                                     {"LIGHTMETAL_CACHE_DIR", folder_.path("cache")}}});
    EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
    return file;
  }

  ProcessResult run_alone(const std::vector<std::string>& arguments) {
    fs::remove_all(folder_.path("examples"));
    fs::remove_all(folder_.path("cache"));
    fs::create_directory(folder_.path("empty"));
    return run_process(arguments, {.folder = folder_.path("empty"),
                                   .environment = {{"PATH", ""}},
                                   .empty_environment = true});
  }

  TemporaryFolder folder_;
};

TEST_P(Example, ReplaysWithoutPathSourcesAndKernelCache) {
  const std::string file = capture();
  const ProcessResult result = run_alone({kRunner, "run", file});
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  EXPECT_TRUE(fs::is_empty(folder_.path("empty")));
}

TEST_P(Example, ReplayUnderCaptureGivesTheSameFile) {
  const std::string file = capture(), again = folder_.path("again.lmb");
  const ProcessResult result =
      run_process({kRunner, "run", file}, {.environment = {{"LIGHTMETAL_CAPTURE", again},
                                                           {"LIGHTMETAL_CAPTURE_ORIGIN", "0"},
                                                           {"PATH", ""}},
                                           .empty_environment = true});
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  EXPECT_GT(read_file(file).size(), 1000u);
  EXPECT_TRUE(read_file(file) == read_file(again)) << "the two files differ";
}

TEST_P(Example, EnvironmentCaptureGivesTheSameFile) {
  const std::string file = capture(), by_environment = folder_.path("environment.lmb");
  const ProcessResult result =
      run_process({kBin + "/" + GetParam()},
                  {.environment = {{"LIGHTMETAL_CAPTURE", by_environment},
                                   {"LIGHTMETAL_CAPTURE_ORIGIN", "0"},
                                   {"LIGHTMETAL_EXAMPLES", folder_.path("examples")}}});
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  EXPECT_TRUE(read_file(file) == read_file(by_environment)) << "the two files differ";
}

TEST_P(Example, VerifiesWithoutADevice) {
  const ProcessResult result = run_alone({kRunner, "verify", capture()});
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
}

TEST_P(Example, ReplaysTwiceInOneProcess) {
  const ProcessResult result = run_alone({kRunner, "run", "--loop", "2", capture()});
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
}

INSTANTIATE_TEST_SUITE_P(All, Example,
                         ::testing::Values("loopback", "add_tensors", "vecadd_multi_core",
                                           "matmul_multi_core", "mesh_matmul", "trace_two_programs",
                                           "transformer_block", "image_filter"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace lightmetal::testing
