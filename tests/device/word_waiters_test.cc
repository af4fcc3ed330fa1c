// Waits for a word of L1: every value ends one that the word takes, also one that nobody announced.
#include "device/cpu/machine/word_waiters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <set>
#include <vector>

namespace lightmetal::device::cpu {
namespace {

constexpr uint32_t kWord = 64;  // an address

// A worker that keeps the kernels it is told of.
class Worker : public KernelHost {
 public:
  Worker() : KernelHost(reinterpret_cast<Machine&>(no_machine_)) {}

  std::set<Waiter*> woken() {
    std::set<Waiter*> found;
    for (Waiter* waiter = signals_.woken.exchange(nullptr); waiter; waiter = waiter->next_woken)
      found.insert(waiter);
    return found;
  }
  bool all_under_way() override { return true; }

 private:
  void ring() override {}

  alignas(64) std::byte no_machine_{};  // nothing here asks it
};

class WordWaitersTest : public ::testing::Test {
 protected:
  Waiter waiting(uint32_t value, bool at_least = false, bool at_most = false) {
    return {.wait = {.at_least = at_least, .at_most = at_most, .subject = kWord, .amount = value},
            .worker = &worker_};
  }
  // Kernel code stores like this, and tells nobody.
  void store_unseen(uint32_t value) { WordWaiters::word(l1_.data(), kWord).store(value); }
  uint32_t value() { return WordWaiters::word(l1_.data(), kWord).load(); }

  bool wakes(Waiter& waiter, const std::function<void()>& change) {
    EXPECT_TRUE(waiters_.park(waiter));
    change();
    const bool is_woken = worker_.woken().contains(&waiter);
    if (!is_woken) waiters_.forget(waiter);
    return is_woken;
  }

  alignas(4) std::array<std::byte, 256> l1_{};
  WordWaiters waiters_{l1_.data()};
  Worker worker_;
};

TEST_F(WordWaitersTest, EachValueThatAWordTakesEndsAWaitForIt) {
  Waiter one = waiting(1), two = waiting(2), three = waiting(3);
  for (Waiter* waiter : {&one, &two, &three}) EXPECT_TRUE(waiters_.park(*waiter));
  waiters_.increment(kWord, 1);
  EXPECT_THAT(worker_.woken(), ::testing::ElementsAre(&one));
  waiters_.store(kWord, 3, ~0u);
  EXPECT_THAT(worker_.woken(), ::testing::ElementsAre(&three));
  waiters_.store(kWord, 2, ~0u);
  EXPECT_THAT(worker_.woken(), ::testing::ElementsAre(&two));
}

TEST_F(WordWaitersTest, AValueThatNobodyAnnouncedEndsAWaitAsTheNextChangeBegins) {
  for (const auto& change : std::vector<std::function<void()>>{
           [&] { waiters_.increment(kWord, 1); }, [&] { waiters_.store(kWord, 5, ~0u); }}) {
    store_unseen(0);
    Waiter waiter = waiting(1);
    EXPECT_TRUE(wakes(waiter, [&] { store_unseen(1), change(); }));
    EXPECT_NE(value(), 1u);
  }
}

TEST_F(WordWaitersTest, OnlyWritesThatTouchTheWordEndAWait) {
  struct Write {
    uint32_t begin;
    uint64_t size;
    bool touches;
  };
  for (const Write& write : std::vector<Write>{{kWord - 8, 8, false},
                                               {kWord - 8, 9, true},
                                               {kWord + 3, 1, true},
                                               {kWord + 4, 8, false},
                                               {kWord, 4, true},
                                               {0, 256, true}}) {
    store_unseen(0);
    Waiter waiter = waiting(7);
    EXPECT_EQ(wakes(waiter, [&] { store_unseen(7), waiters_.written(write.begin, write.size); }),
              write.touches)
        << write.begin << " " << write.size;
  }
}

TEST_F(WordWaitersTest, BoundsAreIncluded) {
  struct Case {
    bool at_least, at_most;
    std::vector<uint32_t> ends, goes_on;
  };
  for (const Case& each : std::vector<Case>{
           {true, false, {5, 6}, {4}}, {false, true, {5, 4}, {6}}, {false, false, {5}, {4, 6}}}) {
    const auto ends = [&](uint32_t value) {
      store_unseen(each.at_most ? 100 : 0);
      Waiter waiter = waiting(5, each.at_least, each.at_most);
      return wakes(waiter, [&] { waiters_.store(kWord, value, ~0u); });
    };
    for (const uint32_t value : each.ends) EXPECT_TRUE(ends(value)) << value;
    for (const uint32_t value : each.goes_on) EXPECT_FALSE(ends(value)) << value;
  }
}

TEST_F(WordWaitersTest, AWaitThatHoldsIsNotParked) {
  store_unseen(1);
  Waiter waiter = waiting(1);
  EXPECT_FALSE(waiters_.park(waiter));
  waiters_.increment(kWord, 1);
  EXPECT_THAT(worker_.woken(), ::testing::IsEmpty());
}

TEST_F(WordWaitersTest, OnlyOneSideTakesAKernel) {
  Waiter waiter = waiting(1);
  EXPECT_TRUE(waiters_.park(waiter));
  EXPECT_FALSE(waiters_.take_if_satisfied(waiter));
  store_unseen(1);
  EXPECT_TRUE(waiters_.take_if_satisfied(waiter));
  EXPECT_FALSE(waiters_.take_if_satisfied(waiter));
  waiters_.written(kWord, 4);
  EXPECT_THAT(worker_.woken(), ::testing::IsEmpty());
}

TEST_F(WordWaitersTest, AsManyKernelsWaitAsACoreRuns) {
  std::vector<Waiter> parked(kMostRuns, waiting(1));
  for (int round = 0; round < 2; ++round) {  // places are free again
    store_unseen(0);
    for (Waiter& waiter : parked) EXPECT_TRUE(waiters_.park(waiter));
    waiters_.increment(kWord, 1);
    EXPECT_EQ(worker_.woken().size(), kMostRuns);
  }
}

}  // namespace
}  // namespace lightmetal::device::cpu
