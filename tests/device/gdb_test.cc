// A kernel is debugged with gdb as docs/debugging-kernels.md shows it: a breakpoint at a line of
// its source, its variables, its backtrace; live, and in the replay of a captured file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/process.h"

namespace lightmetal::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string kBin = LIGHTMETAL_BIN_FOLDER;

class Gdb : public ::testing::Test {
 protected:
  ProcessResult run(const std::vector<std::string>& arguments, bool debug = true) {
    return run_process(arguments, {.environment = {
                                       {"LIGHTMETAL_CACHE_DIR", folder_.path("cache")},
                                       {"LIGHTMETAL_CPU_DEVICE_DEBUG", debug ? "1" : "0"},
                                       {"DEBUGINFOD_URLS", ""},
                                   }});
  }

  // Stops a program in the fourth page of the loopback kernel.
  std::string stop_in_loopback(const std::vector<std::string>& program, bool debug = true) {
    std::vector<std::string> command = {"/usr/bin/timeout", "120", "/usr/bin/gdb", "-nx", "-batch"};
    for (const char* each :
         {"set breakpoint pending on", "break loopback.cpp:18 if page == 3", "run", "backtrace",
          "print page", "print source.page_size", "print num_pages", "continue"}) {
      command.insert(command.end(), {"-ex", each});
    }
    command.push_back("--args");
    command.insert(command.end(), program.begin(), program.end());
    const ProcessResult result = run(command, debug);
    return result.output + result.errors;
  }

  TemporaryFolder folder_;
};

TEST_F(Gdb, StopsAtALineOfAKernelAndShowsItsVariables) {
  EXPECT_THAT(
      stop_in_loopback({kBin + "/loopback"}),
      AllOf(HasSubstr("hit Breakpoint 1, kernel_main () at "),
            HasSubstr("examples/loopback/kernels/loopback.cpp:18"),
            HasSubstr("noc_async_read(get_noc_addr(page, source)"), HasSubstr("#0  kernel_main ()"),
            HasSubstr("lightmetal_kernel_entry ()"), HasSubstr("$1 = 3"), HasSubstr("$2 = 2048"),
            HasSubstr("$3 = 50"), HasSubstr("exited normally")));
}

TEST_F(Gdb, StopsInTheReplayOfAFileThatWasCapturedForIt) {
  const std::string file = folder_.path("loopback.lmb");
  const ProcessResult captured = run({kBin + "/loopback", "--capture", file});
  ASSERT_EQ(captured.exit_code, 0) << captured.errors;
  const std::string text = stop_in_loopback({kBin + "/lightmetal_runner", file});
  EXPECT_THAT(text, AllOf(HasSubstr("examples/loopback/kernels/loopback.cpp:18"),
                          HasSubstr("$1 = 3"), HasSubstr("exited normally")));
}

TEST_F(Gdb, FileThatWasCapturedForDebuggingReplaysWithoutIt) {
  const std::string file = folder_.path("loopback.lmb");
  ASSERT_EQ(run({kBin + "/loopback", "--capture", file}).exit_code, 0);
  const ProcessResult result = run({kBin + "/lightmetal_runner", file}, /*debug=*/false);
  EXPECT_EQ(result.exit_code, 0) << result.errors;
}

}  // namespace
}  // namespace lightmetal::testing
