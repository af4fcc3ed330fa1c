// A process that ends while threads make calls of the host API ends with the code that it chose.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/support/process.h"

namespace lightmetal::testing {
namespace {

class ProcessEndTest : public ::testing::TestWithParam<std::tuple<const char*, bool>> {};

TEST_P(ProcessEndTest, KeepsItsExitCodeWhileThreadsMakeCalls) {
  const TemporaryFolder folder;
  std::map<std::string, std::string> variables;
  if (std::get<1>(GetParam())) variables["LIGHTMETAL_CAPTURE"] = folder.path("a.lmb");
  for (int rounds = 1; rounds <= 60; ++rounds) {
    const ProcessResult result = run_process(
        {LIGHTMETAL_PROCESS_END_CHILD, std::get<0>(GetParam()), std::to_string(rounds % 20)},
        {.environment = variables});
    EXPECT_EQ(result.exit_code, 7) << result.errors;
    if (result.exit_code != 7) break;
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, ProcessEndTest,
                         ::testing::Combine(::testing::Values("a thread exits", "main returns"),
                                            ::testing::Bool()),
                         [](const auto& info) {
                           const bool exits = std::get<0>(info.param)[0] == 'a';
                           return std::string(exits ? "AThreadExits" : "MainReturns") +
                                  (std::get<1>(info.param) ? "Captured" : "");
                         });

}  // namespace
}  // namespace lightmetal::testing
