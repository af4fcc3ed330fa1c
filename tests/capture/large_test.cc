// How much memory a capture of many payloads, its check and its replay need. LIGHTMETAL_LARGE_MIB
// in the environment says how many MiB of payloads; 1 GiB without it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>

#include "tests/support/process.h"

namespace lightmetal {
namespace {

using ::testing::HasSubstr;
using testing::ProcessResult;
using testing::run_process;

constexpr char kChild[] = LIGHTMETAL_BIN_FOLDER "/large_child";
constexpr char kRunner[] = LIGHTMETAL_BIN_FOLDER "/lightmetal_runner";
constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint64_t kDeviceBytes = 32 * kMiB;  // of the child's one buffer
constexpr uint64_t kMost = 300 * kMiB;

std::string mebibytes() {
  const char* asked = std::getenv("LIGHTMETAL_LARGE_MIB");
  return asked == nullptr ? "1024" : asked;
}

void print(const char* what, uint64_t bytes) {
  std::cout << what << ": " << bytes / kMiB << " MiB resident at most\n";
}

class LargeTest : public ::testing::Test {
 protected:
  // Runs the program that captures; returns the most memory it held.
  uint64_t run_child(const testing::ProcessOptions& options) {
    const ProcessResult result = run_process({kChild, mebibytes()}, options);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result.exit_code == 0 ? std::stoull(result.output) : 0;
  }

  ProcessResult run_runner(const std::string& verb) {
    const ProcessResult result = run_process({kRunner, verb, file_});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    print(verb.c_str(), result.peak_resident_bytes);
    return result;
  }

  testing::TemporaryFolder folder_;
  const std::string file_ = folder_.path("large.lmb");
};

TEST_F(LargeTest, CaptureCheckAndReplayOfManyPayloadsNeedLittleMemory) {
  const uint64_t plain = run_child({});
  const uint64_t captured = run_child({.environment = {{"LIGHTMETAL_CAPTURE", file_}}});
  print("program", plain);
  print("program with capture", captured);
  EXPECT_LT(captured, kMost);
  EXPECT_LT(captured, plain + kMost / 4);
  EXPECT_GE(std::filesystem::file_size(file_), std::stoull(mebibytes()) * kMiB);

  EXPECT_LT(run_runner("verify").peak_resident_bytes, kMost / 2);
  EXPECT_LT(run_runner("info").peak_resident_bytes, kMost / 2);
  const ProcessResult replay = run_runner("run");
  EXPECT_THAT(replay.output, HasSubstr("matched"));
  EXPECT_LT(replay.peak_resident_bytes, kDeviceBytes + kMost);
}

}  // namespace
}  // namespace lightmetal
