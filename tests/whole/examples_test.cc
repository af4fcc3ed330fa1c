// Each example as a person runs it: captured, replayed alone, checked.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/process.h"

namespace lightmetal::testing {
namespace {

namespace fs = std::filesystem;

const std::string kBin = LIGHTMETAL_BIN_FOLDER;
const std::string kRunner = kBin + "/lightmetal_runner";

class Example : public ::testing::TestWithParam<std::string> {
 protected:
  static void SetUpTestSuite() { folder_ = std::make_unique<TemporaryFolder>(); }
  static void TearDownTestSuite() { folder_ = nullptr; }

  void SetUp() override {
    fs::copy(LIGHTMETAL_EXAMPLES_FOLDER, folder_->path("examples"),
             fs::copy_options::recursive | fs::copy_options::skip_existing);
  }

  // Runs the example, once, with its kernels in a folder of the tests' own, so that they can be
  // taken away.
  static std::string capture() {
    const std::string file = folder_->path(std::string(GetParam()) + ".lmb");
    if (fs::exists(file)) return file;
    const ProcessResult result =
        run_process({kBin + "/" + GetParam(), "--capture", file},
                    {.environment = {{"LIGHTMETAL_CAPTURE_ORIGIN", "0"},
                                     {"LIGHTMETAL_EXAMPLES", folder_->path("examples")},
                                     {"LIGHTMETAL_CACHE_DIR", folder_->path("cache")}}});
    EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
    return file;
  }

  static ProcessResult run_alone(const std::vector<std::string>& arguments) {
    fs::remove_all(folder_->path("examples"));
    fs::remove_all(folder_->path("cache"));
    const TemporaryFolder empty;
    const ProcessResult result = run_process(
        arguments,
        {.folder = empty.path(), .environment = {{"PATH", ""}}, .empty_environment = true});
    EXPECT_TRUE(fs::is_empty(empty.path()));
    return result;
  }

  static inline std::unique_ptr<TemporaryFolder> folder_;
};

TEST_P(Example, ReplaysWithoutPathSourcesAndKernelCache) {
  const std::string file = capture();
  const ProcessResult result = run_alone({kRunner, "run", file});
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
}

TEST_P(Example, ReplayUnderCaptureGivesTheSameFile) {
  const std::string file = capture(), again = folder_->path("again.lmb");
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
  const std::string file = capture(), by_environment = folder_->path("environment.lmb");
  const ProcessResult result =
      run_process({kBin + "/" + GetParam()},
                  {.environment = {{"LIGHTMETAL_CAPTURE", by_environment},
                                   {"LIGHTMETAL_CAPTURE_ORIGIN", "0"},
                                   {"LIGHTMETAL_EXAMPLES", folder_->path("examples")}}});
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
                                           "transformer_block", "image_filter", "stitch_scale",
                                           "stitch_shift"),
                         [](const auto& info) { return info.param; });

// ---- Captured programs put together ----

class StitchExample : public ::testing::Test {
 protected:
  // The program's buffers begin behind `offset`.
  std::string capture(const std::string& program, const std::string& offset,
                      const std::vector<std::string>& arguments = {}) {
    const std::string file = folder_.path("captured, " + program + "_" + offset + ".lmb");
    std::vector<std::string> command = {kBin + "/" + program, "--capture", file};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const ProcessResult result =
        run_process(command, {.environment = {{"LIGHTMETAL_ALLOCATOR_OFFSET", offset}}});
    EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
    return file;
  }
  std::string stitched(std::vector<std::string> files) {
    const std::string output = folder_.path("output");
    files.insert(files.begin(), kBin + "/stitch");
    files.insert(files.end(), {"--output", output});
    const ProcessResult result = run_process(files);
    EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
    EXPECT_NE(result.output.find(" 0 bytes over the host between them, equal"), std::string::npos)
        << result.output;
    return read_file(output);
  }

  TemporaryFolder folder_;
};

TEST_F(StitchExample, TwoFilesRunOneBehindTheOther) {
  const std::string scale = capture("stitch_scale", "0"), shift = capture("stitch_shift", "1M,64K");
  const std::string result = stitched({scale, shift});
  ASSERT_EQ(result.size(), 32u * 256 * sizeof(uint32_t));
  for (uint32_t i = 0; i < 32 * 256; ++i) {
    uint32_t word;
    std::memcpy(&word, &result[i * sizeof(word)], sizeof(word));
    ASSERT_EQ(word, 3 * (i + 1) + 10) << i;
  }
  EXPECT_NE(stitched({shift, scale}), result);
}

TEST_F(StitchExample, FilesThatLieAtOnePlaceAndFilesThatAreNotThereAreErrors) {
  const std::string scale = capture("stitch_scale", "0"), shift = capture("stitch_shift", "0");
  const ProcessResult result = run_process({kBin + "/stitch", scale, shift});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.errors.find("LIGHTMETAL_ALLOCATOR_OFFSET"), std::string::npos) << result.errors;
  EXPECT_EQ(run_process({kBin + "/stitch", scale, "missing.lmb"}).exit_code, 1);
  EXPECT_EQ(run_process({kBin + "/stitch"}).exit_code, 2);
}

// layers of a transformer, each captured for itself, and all in one capture.
TEST_F(StitchExample, TransformerBlocksGiveWhatTheirTwoLayerCaptureGives) {
  const auto block = [this](const std::string& offset, const std::string& seed,
                            const std::string& layers) {
    return capture("transformer_block", offset,
                   {"--tokens", "64", "--width", "128", "--heads", "4", "--iterations", "1",
                    "--seed", seed, "--layers", layers});
  };
  const std::string first = block("0", "3", "1"), second = block("64M", "4", "1"),
                    both = block("128M", "3", "2");
  const std::string result = stitched({first, second});
  EXPECT_EQ(result.size(), 64u * 128 * 2);
  EXPECT_TRUE(result == stitched({both})) << "the results differ";
  EXPECT_FALSE(result == stitched({first}));
}

}  // namespace
}  // namespace lightmetal::testing
