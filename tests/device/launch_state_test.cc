// The launches of one scheduler: nothing of a launch is left for the next.
#include "device/cpu/threads/launch_state.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

namespace lightmetal::device::cpu {
namespace {

class LaunchStateTest : public ::testing::Test {
 protected:
  static Launch of_cores(size_t cores) {
    auto plan = std::make_shared<LaunchPlan>();
    plan->cores.resize(cores);
    return {.plan = std::move(plan)};
  }
  // The launching worker starts all cores and ends them.
  void run_alone() {
    state_.join(first_);
    while (state_.claim_core().has_value()) state_.core_ended();
    state_.leave(first_, {});
  }

  std::atomic<uint32_t> awake_{0};
  LaunchState state_{absl::Seconds(10), awake_};
  WorkerSignals first_, second_;
  const std::array<WorkerSignals*, 2> both_ = {&first_, &second_};
};

TEST_F(LaunchStateTest, AWorkerThatWakesUpAfterItsLaunchStaysAwayFromTheNext) {
  const Launch one = of_cores(1), other = of_cores(1);
  state_.open(one, both_);
  run_alone();
  EXPECT_EQ(state_.close(), absl::OkStatus());
  std::atomic<bool> has_begun = false;
  bool joined = true;
  std::thread late([&] {
    has_begun = true;
    joined = state_.await_and_join(second_);
    if (joined) state_.leave(second_, {});
  });
  while (!has_begun) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // it would join now
  state_.open(other, absl::MakeConstSpan(both_).first(1));
  run_alone();
  EXPECT_EQ(state_.close(), absl::OkStatus());
  state_.shut_down(both_);
  late.join();
  EXPECT_FALSE(joined);
  EXPECT_EQ(awake_, 0u);
}

TEST_F(LaunchStateTest, AWorkerJoinsEachLaunchToWhichItIsInvitedOnce) {
  int joined = 0;
  std::thread worker([&] {
    while (state_.await_and_join(second_)) {
      ++joined;
      while (!state_.over()) std::this_thread::yield();
      state_.leave(second_, {});
    }
  });
  constexpr int kLaunches = 50;
  for (int i = 0; i < kLaunches; ++i) {
    const Launch launch = of_cores(3);
    state_.open(launch, both_);
    while (awake_ != 1) std::this_thread::yield();  // it has come
    run_alone();
    EXPECT_EQ(state_.close(), absl::OkStatus());
  }
  state_.shut_down(both_);
  worker.join();
  EXPECT_EQ(joined, kLaunches);
}

TEST_F(LaunchStateTest, AnErrorIsThatOfItsLaunchAlone) {
  const Launch launch = of_cores(2);
  state_.open(launch, both_);
  state_.join(first_);
  state_.fail(absl::AbortedError("first"));
  state_.fail(absl::InternalError("second"));
  EXPECT_TRUE(state_.over());
  state_.leave(first_, {});
  EXPECT_EQ(state_.close(), absl::AbortedError("first"));
  for (int i = 0; i < 2; ++i) {
    state_.open(launch, both_);
    EXPECT_FALSE(state_.over());
    run_alone();
    EXPECT_EQ(state_.close(), absl::OkStatus());
  }
}

TEST_F(LaunchStateTest, EachCoreIsClaimedOnceInEachLaunch) {
  for (const size_t cores : {5, 1, 2}) {
    const Launch launch = of_cores(cores);
    state_.open(launch, both_);
    EXPECT_EQ(state_.share(), (cores + 1) / 2);
    EXPECT_EQ(state_.alone(), cores == 1);
    for (uint32_t core = 0; core < cores; ++core) EXPECT_EQ(state_.claim_core(), core);
    EXPECT_EQ(state_.claim_core(), std::nullopt);
    for (size_t core = 0; core < cores; ++core) {
      EXPECT_FALSE(state_.over());
      state_.core_ended();
    }
    EXPECT_TRUE(state_.over());
    EXPECT_EQ(state_.close(), absl::OkStatus());
  }
}

TEST_F(LaunchStateTest, TheStartIsAwaitedUntilTheLastCoreIsUnderWay) {
  for (int i = 0; i < 2; ++i) {
    const Launch launch = of_cores(2);
    state_.open(launch, both_);
    state_.join(first_);
    EXPECT_FALSE(state_.start_is_awaited());
    state_.core_is_under_way();
    EXPECT_FALSE(state_.all_under_way());
    EXPECT_FALSE(state_.await_start());
    EXPECT_TRUE(state_.start_is_awaited());
    state_.core_is_under_way();
    EXPECT_TRUE(state_.all_under_way());
    EXPECT_FALSE(state_.start_is_awaited());
    EXPECT_TRUE(state_.await_start());
    for (int core = 0; core < 2; ++core) state_.core_ended();
    state_.leave(first_, {});
    EXPECT_EQ(state_.close(), absl::OkStatus());
  }
}

TEST_F(LaunchStateTest, AWorkerThatSleepsUntilTheStartIsWokenByTheLastCore) {
  const Launch launch = of_cores(2);
  state_.open(launch, both_);
  state_.join(first_);
  state_.join(second_);
  second_.awaits_start = true;
  EXPECT_FALSE(state_.await_start());
  auto sleep = std::async(std::launch::async, [&] { state_.sleep(second_); });
  while (!second_.asleep) std::this_thread::yield();
  for (int core = 0; core < 2; ++core) state_.core_is_under_way();
  EXPECT_EQ(sleep.wait_for(std::chrono::minutes(1)), std::future_status::ready);
  for (int core = 0; core < 2; ++core) state_.core_ended();
  for (WorkerSignals* worker : both_) state_.leave(*worker, {});
  EXPECT_EQ(state_.close(), absl::OkStatus());
}

}  // namespace
}  // namespace lightmetal::device::cpu
