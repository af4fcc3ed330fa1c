// The moments at which no thread is inside a call.
#include "capture/call_gate.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include "tests/support/sleeping_thread.h"

namespace lightmetal::capture {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLong = std::chrono::minutes(1);
constexpr milliseconds kShort{1};

TEST(CallGate, ClosesWhenTheLastCallLeaves) {
  CallGate gate;
  gate.enter();
  gate.enter();
  EXPECT_FALSE(gate.leave(true, milliseconds(0)));
  EXPECT_FALSE(gate.leave(false, milliseconds(0)));
  gate.enter();
  EXPECT_TRUE(gate.leave(true, milliseconds(0)));
  gate.open();
}

TEST(CallGate, NobodyWaitsAgainForWhatDidNotEndInThatTime) {
  CallGate gate;
  gate.enter();  // a call that waits for one that begins below
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 1000; ++i) {
    gate.enter();
    EXPECT_FALSE(gate.leave(true, milliseconds(20)));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST(CallGate, ACallWaitsLongerForOneThatIsSlowWhenItIsTheLastChance) {
  CallGate gate;
  gate.enter();  // the slow one
  for (int i = 0; i < 2; ++i) {
    gate.enter();
    EXPECT_FALSE(gate.leave(true, kShort));
  }
  gate.enter();
  EXPECT_FALSE(gate.leave(true, kLong));

  std::atomic<bool> begins = false;
  std::atomic<bool> entered = false;
  std::thread next([&] {
    begins = true;
    gate.enter();
    entered = true;
  });
  while (!begins) std::this_thread::yield();
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_FALSE(entered);
  EXPECT_TRUE(gate.leave(true, kLong));
  EXPECT_FALSE(entered);
  gate.open();
  next.join();
}

// A call that failed wants no such moment, and leaves one unused.
TEST(CallGate, WhoWaitsGoesOnWhenNobodyIsInside) {
  CallGate gate;
  gate.enter();
  gate.enter();
  EXPECT_FALSE(gate.leave(true, kLong));
  const auto begin = std::chrono::steady_clock::now();
  std::thread next([&] { gate.enter(); });
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_FALSE(gate.leave(false, kLong));
  next.join();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, kLong / 2);
}

// A call that finds the gate closed gives up after a minute.
TEST(CallGate, AllThatWaitForAClosedGateGoOnOnceItOpens) {
  CallGate gate;
  gate.enter();
  ASSERT_TRUE(gate.leave(true, milliseconds(0)));
  std::array<std::atomic<pid_t>, 2> ids = {};
  std::array<std::thread, 2> threads;
  for (size_t i = 0; i < threads.size(); ++i) {
    threads[i] = std::thread([&gate, &id = ids[i]] {
      id = ::gettid();
      gate.enter();
    });
  }
  for (const std::atomic<pid_t>& id : ids) testing::wait_for_sleep_of(id);
  const auto begin = std::chrono::steady_clock::now();
  gate.open();
  for (std::thread& thread : threads) thread.join();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, kLong / 2);
}

}  // namespace
}  // namespace lightmetal::capture
