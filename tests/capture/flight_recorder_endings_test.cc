// The flight recorder of a program that ends badly, or starts others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <lightmetal/capture.hpp>
#include <string>
#include <tt-metalium/host_api.hpp>

#include "tests/capture/crash_kit.h"
#include "tests/support/captured_file.h"

namespace lightmetal {
namespace {

using testing::expect_replays;
using testing::expect_same;
using ::testing::HasSubstr;
using testing::opened;
using testing::ProcessResult;
using testing::run_child;
using testing::TemporaryFolder;

constexpr uint64_t kRing = 128 * 1024;

class RingEnding : public ::testing::TestWithParam<const char*> {
 protected:
  TemporaryFolder folder_;
  const std::string file_ = folder_.path("ring.lmb");
};

TEST_P(RingEnding, BySignalIsWrittenAndChangesNoEnd) {
  const ProcessResult plain = run_child(GetParam(), "", {}, "200");
  const ProcessResult captured =
      run_child(GetParam(), file_, {{"LIGHTMETAL_CAPTURE_RING", "128K"}}, "200");
  expect_same(plain, captured);
  EXPECT_LE(std::filesystem::file_size(file_), kRing + 64 * 1024);
  EXPECT_GE(std::filesystem::file_size(file_), kRing / 2);
  EXPECT_FALSE(opened(file_)->closed());
  EXPECT_EQ(testing::names_of(*opened(file_)).back(), "BufferDestroy");
  expect_replays(file_, /*incomplete=*/true);
}

INSTANTIATE_TEST_SUITE_P(, RingEnding,
                         ::testing::Values("abort", "terminate", "uncaught", "SIGTERM", "SIGSEGV",
                                           "SIGBUS", "SIGFPE", "SIGILL", "fault", "own handler",
                                           "stack overflow", "stack overflow in a thread"));

class RingHandler : public RingEnding {};

TEST_P(RingHandler, OfTheProgramIsCalledAsItAskedFor) {
  const ProcessResult plain = run_child(GetParam(), "");
  const ProcessResult captured =
      run_child(GetParam(), file_, {{"LIGHTMETAL_CAPTURE_RING", "128K"}});
  expect_same(plain, captured);
}

INSTANTIATE_TEST_SUITE_P(, RingHandler,
                         ::testing::Values("handler for one signal", "handler, interrupted",
                                           "handler, not interrupted"));

TEST_F(RingEnding, AHandlerThatReturnsLosesNothingOfWhatFollows) {
  const ProcessResult captured =
      run_child("handler that returns", file_, {{"LIGHTMETAL_CAPTURE_RING", "128K"}});
  EXPECT_EQ(captured.exit_code, 0) << captured.errors;
  expect_replays(file_, /*incomplete=*/false);
}

TEST_F(RingEnding, ByExitIsAWholeFile) {
  EXPECT_EQ(run_child("exit", file_, {{"LIGHTMETAL_CAPTURE_RING", "128K"}}, "200").exit_code, 12);
  expect_replays(file_, /*incomplete=*/false);
}

TEST_F(RingEnding, ASizeThatIsNoneIsOneLineAndNoCapture) {
  for (const char* size : {"64 MB", "lots", "63K", "-1", "2000G"}) {
    const ProcessResult captured = run_child("nothing", file_, {{"LIGHTMETAL_CAPTURE_RING", size}});
    EXPECT_EQ(captured.exit_code, 0);
    EXPECT_THAT(captured.errors, HasSubstr(std::string("not ") + size));
    EXPECT_FALSE(std::filesystem::exists(file_));
  }
}

TEST_F(RingEnding, TheLeastSizeIsASize) {
  const ProcessResult captured =
      run_child("nothing", file_, {{"LIGHTMETAL_CAPTURE_RING", "64K"}}, "3");
  EXPECT_EQ(captured.exit_code, 0);
  EXPECT_EQ(captured.errors, "");
  EXPECT_TRUE(opened(file_)->complete());
}

TEST_F(RingEnding, AForkedChildWithAFlightRecorderOfItsOwnLeavesSignalsAsTheyWere) {
  struct sigaction before = {};
  sigaction(SIGTERM, nullptr, &before);
  tt::tt_metal::LightMetalBeginCapture({.path = file_, .ring_size = kRing});
  const pid_t child = fork();
  if (child == 0) {
    tt::tt_metal::LightMetalBeginCapture({.path = folder_.path("child.lmb"), .ring_size = kRing});
    tt::tt_metal::LightMetalEndCapture();
    struct sigaction after = {};
    sigaction(SIGTERM, nullptr, &after);
    _exit(after.sa_handler == before.sa_handler ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  struct sigaction during = {};
  sigaction(SIGTERM, nullptr, &during);
  EXPECT_NE(during.sa_handler, before.sa_handler) << "the parent's flight recorder acts on";
  tt::tt_metal::LightMetalEndCapture();
}

TEST_F(RingEnding, AForkedChildDoesNotWriteItsParentsFile) {
  const ProcessResult captured =
      run_child("fork", file_, {{"LIGHTMETAL_CAPTURE_RING", "128K"}}, "200");
  EXPECT_EQ(captured.exit_code, 0) << captured.errors;
  expect_replays(file_, /*incomplete=*/false);
}

}  // namespace
}  // namespace lightmetal
