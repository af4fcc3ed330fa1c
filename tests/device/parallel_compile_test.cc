// The kernels of a program are compiled together.
#include "tests/support/api_test_kit.h"

namespace tt::tt_metal::testing {
namespace {

using ParallelCompileTest = WatchedTest;

void add(Program& program, size_t core, const std::string& text) {
  CreateKernelFromString(program, text, CoreCoord(core, 0), DataMovementConfig{});
}

TEST_F(ParallelCompileTest, EqualKernelsAreCompiledOnce) {
  Program program;
  for (size_t core = 0; core < 6; ++core) add(program, core, core % 2 == 0 ? "even" : "odd");
  detail::CompileProgram(device(), program);
  EXPECT_EQ(watched().compiled, 2);
  EnqueueProgram(queue(), program, true);
  EXPECT_EQ(watched().launches().at(0).launch.plan->kernels.size(), 6u);
}

TEST_F(ParallelCompileTest, TheFirstKernelThatFailsIsReportedAndTheOthersAreKept) {
  Program program;
  add(program, 0, "good 0");
  CreateKernelFromString(program, "#error first", CoreCoord(1, 0),
                         DataMovementConfig{.defines = {{"A", "1"}}});
  for (size_t core = 2; core < 7; ++core) add(program, core, "#error " + std::to_string(core));
  add(program, 7, "good 7");
  for (int attempt = 1; attempt <= 2; ++attempt) {
    expect_throws([&] { detail::CompileProgram(device(), program); }, "as the source asked");
    EXPECT_FALSE(program.is_compiled());
    // Twice: the two good ones were kept.
    EXPECT_EQ(watched().compiled, attempt == 1 ? 8 : 14);
  }
}

}  // namespace
}  // namespace tt::tt_metal::testing
