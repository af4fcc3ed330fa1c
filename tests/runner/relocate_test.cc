// lightmetal_runner relocate: which words of a file are addresses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/runner/inspection_kit.h"

namespace lightmetal::testing {
namespace {

using ::testing::HasSubstr;

class RelocateTest : public InspectionTest {
 protected:
  // A capture of an example whose buffers begin behind `offset`.
  std::string captured(const std::string& example, const std::string& offset) {
    const std::string file = folder_.path(absl::StrCat("capture", ++captures_, ".lmb"));
    const ProcessResult result =
        run_process({std::string(LIGHTMETAL_BIN_FOLDER "/") + example, "--capture", file},
                    {.environment = {{"LIGHTMETAL_ALLOCATOR_OFFSET", offset}}});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return file;
  }
  std::string out() const { return folder_.path("out.lmb"); }

 private:
  int captures_ = 0;
};

TEST_F(RelocateTest, EachExampleReplaysWithItsAddressesByBuffers) {
  for (const char* example : {"loopback", "vecadd_multi_core", "matmul_multi_core"}) {
    const auto result = runner({"relocate", "--detect", captured(example, "0"),
                                captured(example, "64M,64K"), "-o", out()});
    EXPECT_EQ(result.exit_code, 0) << example << result.output << result.errors;
    EXPECT_THAT(result.output, HasSubstr("may lie elsewhere")) << example;
    EXPECT_EQ(runner({"run", out()}).exit_code, 0) << example;
  }
}

TEST_F(RelocateTest, WhereATraceHasAllAddressesNothingIsWritten) {
  const auto result = runner({"relocate", "--detect", captured("trace_two_programs", "0"),
                              captured("trace_two_programs", "64M,64K"), "-o", out()});
  EXPECT_EQ(result.exit_code, 1) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("LoadTrace has its address in"));
  EXPECT_THAT(result.output, HasSubstr("no buffer may lie elsewhere"));
  EXPECT_FALSE(std::filesystem::exists(out()));
}

// One argument of the second capture is another number.
TEST_F(RelocateTest, WhatDiffersAndIsNoAddressIsSaidAndNothingIsWritten) {
  const std::string a = captured("loopback", "0"), b = captured("loopback", "64M");
  const auto bytes =
      rewritten(**schema::File::open(b), [](schema::CommandT& command, schema::Writer&) {
        if (auto* args = command.call.AsSetRuntimeArgs()) ++args->args.back();
      });
  const auto result = runner({"relocate", "--detect", a, written("other.lmb", bytes), "-o", out()});
  EXPECT_EQ(result.exit_code, 1) << result.errors;
  EXPECT_EQ(result.output.substr(0, 2), "? ");
  EXPECT_THAT(result.output, HasSubstr("\n" + out() +
                                       " is not written: 1 difference between the captures is no "
                                       "address of one buffer\n"));
  EXPECT_FALSE(std::filesystem::exists(out()));
}

TEST_F(RelocateTest, ASignatureIsGoneAndThatIsSaid) {
  const std::string a = captured("loopback", "0"), key = folder_.path("key");
  ASSERT_EQ(runner({"keygen", "-o", key}).exit_code, 0);
  ASSERT_EQ(runner({"sign", a, "--key", key + ".key"}).exit_code, 0);
  const auto result =
      runner({"relocate", "--detect", a, captured("loopback", "64M,64K"), "-o", out()});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output,
              HasSubstr(" with 3 words as addresses of buffers; 3 buffers may lie elsewhere; its "
                        "signature is gone: sign it anew\n"));
}

TEST_F(RelocateTest, NeitherCaptureIsOverwritten) {
  const std::string a = captured("loopback", "0"), b = captured("loopback", "64M");
  for (const std::string& file : {a, b})
    expect_failure({"relocate", "--detect", a, b, "-o", file}, "is an input");
}

TEST_F(RelocateTest, WithoutASecondPlaceNothingIsWritten) {
  const std::string file = captured("loopback", "0");
  expect_failure({"relocate", "--detect", file, file, "-o", out()},
                 "capture one of them with LIGHTMETAL_ALLOCATOR_OFFSET");
  EXPECT_FALSE(std::filesystem::exists(out()));
}

TEST_F(RelocateTest, IncompleteAndHostileFilesAreRefused) {
  expect_failure({"relocate", "--detect", killed(), killed(), "-o", out()}, "incomplete");
  const std::string file = hostile();
  expect_failure({"relocate", "--detect", file, file, "-o", out()}, "hostile.lmb");
  EXPECT_FALSE(std::filesystem::exists(out()));
}

TEST_F(RelocateTest, WrongCallsAreRefused) {
  const std::string file = captured("loopback", "0");
  expect_failure({"relocate", file, file, "-o", out()}, "needs --detect");
  expect_failure({"relocate", "--detect", file, "-o", out()}, "and 1 are given");
  expect_failure({"relocate", "--detect", file, file}, "needs -o OUT");
  expect_failure({"relocate", "--detect", file, captured("vecadd_multi_core", "64M"), "-o", out()},
                 "captures of different runs");
}

}  // namespace
}  // namespace lightmetal::testing
