// Every allocation that a capture makes fails once, in turn.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <lightmetal/replay.hpp>
#include <map>
#include <string>

#include "tests/support/process.h"

namespace lightmetal::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

using Variables = std::map<std::string, std::string>;

struct Kind {
  const char* name;
  Variables variables;
  int step = 7;  // every so many allocations fail: most are those of a file
};

const Kind kKinds[] = {
    {"File", {}, 1},
    {"CompressedFile", {{"LIGHTMETAL_CAPTURE_COMPRESS", "1"}}},
    {"FlightRecorder", {{"LIGHTMETAL_CAPTURE_RING", "1M"}}},
    {"FileWithIntents", {{"LIGHTMETAL_CAPTURE_INTENTS", "1"}}},
};

class OutOfMemoryTest : public ::testing::TestWithParam<Kind> {
 protected:
  ProcessResult run_with(int failed) {
    std::filesystem::remove(path_);
    Variables variables = GetParam().variables;
    variables["LIGHTMETAL_CAPTURE"] = path_;
    return run_process({LIGHTMETAL_OUT_OF_MEMORY_CHILD, std::to_string(failed)},
                       {.environment = variables});
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.path("a.lmb");
};

TEST_P(OutOfMemoryTest, TheProgramEndsAsEverAndTheFileIsWholeOrALineSaysThatItIsNot) {
  int failures = 0, lines = 0;
  for (int number = 1;; number += GetParam().step) {
    SCOPED_TRACE(::testing::Message() << "allocation " << number);
    const ProcessResult result = run_with(number);
    ASSERT_EQ(result.exit_code, 7) << result.errors;
    if (result.output != "failed") break;
    ++failures;
    if (!result.errors.empty()) {
      ++lines;
      EXPECT_THAT(result.errors, AnyOf(HasSubstr("is incomplete: "), HasSubstr("did not begin: ")));
      continue;
    }
    const auto replay = Replay::load_file(path_);
    EXPECT_TRUE(replay.ok()) << replay.status();
  }
  // The tables grow, so there are some.
  EXPECT_GT(failures, 30 / GetParam().step);
  EXPECT_GT(lines, 0);
}

INSTANTIATE_TEST_SUITE_P(Captures, OutOfMemoryTest, ::testing::ValuesIn(kKinds),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace lightmetal::testing
