// When a launch whose kernels poll is given up: at the edges of the times and counts.
#include "device/cpu/threads/watchdog.h"

#include <gtest/gtest.h>

#include <array>

namespace lightmetal::device::cpu {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(10);
constexpr absl::Duration kShare = absl::Seconds(1);  // of the processor, which polling takes

class WatchdogTest : public ::testing::Test {
 protected:
  WatchdogTest() {
    watchdog_.restart({start_, absl::ZeroDuration()});
    expired_at(absl::ZeroDuration(), absl::ZeroDuration());  // sees the workers join
  }

  // Asks at a time after the start, when the process has used `used`.
  bool expired_at(absl::Duration after, absl::Duration used, uint64_t arrivals = 0) {
    const std::array<WorkerSignals*, 2> workers = {&first_, &second_};
    return watchdog_.expired({start_ + after, used}, workers, arrivals);
  }
  // Asks twice at this time: the first question begins to count rounds.
  bool expires_at(absl::Duration after, absl::Duration used) {
    EXPECT_FALSE(expired_at(after, used));
    go_round(first_, 2);
    go_round(second_, 2);
    return expired_at(after, used);
  }
  static void go_round(WorkerSignals& worker, uint64_t times) { worker.idle_rounds += times; }

  const absl::Time start_ = absl::UnixEpoch();
  Watchdog watchdog_{kPatience};
  WorkerSignals first_, second_;
};

TEST_F(WatchdogTest, PatienceRunsOutAtItsEnd) {
  EXPECT_FALSE(expires_at(kPatience - absl::Nanoseconds(1), kShare));
  EXPECT_TRUE(expires_at(kPatience, kShare));
}

TEST_F(WatchdogTest, EachWorkerThatIsAwakeMakesTwoMoreRounds) {
  EXPECT_FALSE(expired_at(kPatience, kShare));
  go_round(first_, 2);
  EXPECT_FALSE(expired_at(kPatience, kShare));
  go_round(second_, 1);
  EXPECT_FALSE(expired_at(kPatience, kShare));
  second_.asleep = true;
  EXPECT_TRUE(expired_at(kPatience, kShare));
  second_.asleep = false;
  go_round(second_, 1);
  EXPECT_TRUE(expired_at(kPatience, kShare));
}

TEST_F(WatchdogTest, OnABusyMachineWorkersThatAreAwakeHaveMoreTime) {
  EXPECT_FALSE(expires_at(100 * kPatience, kShare - absl::Nanoseconds(1)));
  EXPECT_TRUE(expired_at(100 * kPatience, kShare));
}

TEST_F(WatchdogTest, WorkersThatSleepNeedNoProcessor) {
  first_.asleep = second_.asleep = true;
  EXPECT_TRUE(expires_at(kPatience, absl::ZeroDuration()));
}

TEST_F(WatchdogTest, AnythingThatHappensBeginsPatienceAnew) {
  first_.note_activity();
  EXPECT_FALSE(expires_at(kPatience, 2 * kShare));
  EXPECT_FALSE(expires_at(2 * kPatience - absl::Nanoseconds(1), 3 * kShare));
  EXPECT_FALSE(expired_at(2 * kPatience, 3 * kShare, /*arrivals=*/1));
  EXPECT_FALSE(expired_at(3 * kPatience - absl::Nanoseconds(1), 4 * kShare, /*arrivals=*/1));
  EXPECT_FALSE(expired_at(3 * kPatience, 4 * kShare, /*arrivals=*/1));
  go_round(first_, 2);
  go_round(second_, 2);
  EXPECT_TRUE(expired_at(3 * kPatience, 4 * kShare, /*arrivals=*/1));
}

}  // namespace
}  // namespace lightmetal::device::cpu
