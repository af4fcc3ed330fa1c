#include "device/cpu/kernels/fiber.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace lightmetal::device::cpu {
namespace {

// A function on a fiber finds its state from its stack alone, as a kernel does.
Fiber& this_fiber() { return *static_cast<Fiber*>(kernel_abi::context()->fiber); }
int& counter() { return *reinterpret_cast<int*>(&kernel_abi::context()->args_address); }

std::unique_ptr<Fiber> make_fiber() {
  auto fiber = *Fiber::create();
  fiber->context().fiber = fiber.get();
  fiber->context().args_address = 0;
  return fiber;
}

int count_of(Fiber& fiber) { return static_cast<int>(fiber.context().args_address); }

void count_three_times() {
  for (int i = 0; i < 3; ++i) {
    ++counter();
    this_fiber().suspend();
  }
}

TEST(FiberTest, FunctionGoesOnWhereItSuspended) {
  auto fiber = make_fiber();
  fiber->start(count_three_times);
  for (int i = 1; i <= 3; ++i) {
    fiber->resume();
    EXPECT_EQ(count_of(*fiber), i);
    EXPECT_FALSE(fiber->idle());
  }
  fiber->resume();
  EXPECT_TRUE(fiber->idle());
}

#if defined(__x86_64__)
void divide_by_zero_with_a_trap() {
  const uint16_t mode = 0x37b;  // division by 0 is not masked
  asm volatile("fldcw %0; fldz; fld1; fdiv %%st(1), %%st" : : "m"(mode));
}

// The trap comes at the next instruction of x87 that waits, wherever that is.
TEST(FiberTest, FunctionThatLeavesAnExceptionPendingDoesNoHarm) {
  auto fiber = make_fiber();
  for (int round = 0; round < 2; ++round) {
    fiber->start(divide_by_zero_with_a_trap);
    fiber->resume();
    EXPECT_TRUE(fiber->idle());
  }
}
#endif

TEST(FiberTest, StackIsAsKernelsExpect) {
  auto fiber = make_fiber();
  const auto context = reinterpret_cast<uint64_t>(&fiber->context());
  EXPECT_EQ(context % kernel_abi::kStackSize, 0);
  EXPECT_EQ(fiber->stack_end(), context + kernel_abi::kStackSize);
  EXPECT_GE(fiber->guard(), context + sizeof(kernel_abi::Context));
}

TEST(FiberTest, FiberIsUsedAgainAfterItsFunctionEndedOrWasDiscarded) {
  auto fiber = make_fiber();
  for (int round = 0; round < 3; ++round) {
    fiber->context().args_address = 0;
    fiber->start(count_three_times);
    for (int i = 0; i < 4; ++i) fiber->resume();
    ASSERT_TRUE(fiber->idle());

    fiber->start(count_three_times);
    fiber->resume();
    fiber->discard();
    ASSERT_TRUE(fiber->idle());
    EXPECT_EQ(count_of(*fiber), 4);
  }
}

TEST(FiberTest, ManyFibersTakeTurnsOnSeveralThreads) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 3; ++thread) {
    threads.emplace_back([] {
      std::vector<std::unique_ptr<Fiber>> fibers;
      for (int i = 0; i < 10; ++i) {
        fibers.push_back(make_fiber());
        fibers.back()->start(count_three_times);
      }
      for (int turn = 0; turn < 4; ++turn) {
        for (auto& fiber : fibers) fiber->resume();
      }
      for (auto& fiber : fibers) EXPECT_EQ(count_of(*fiber), 3);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(FiberTest, FiberMovesToAnotherThreadBetweenFunctions) {
  auto fiber = make_fiber();
  const auto run = [&] {
    fiber->start(count_three_times);
    while (!fiber->idle()) fiber->resume();
  };
  std::thread(run).join();
  run();
  EXPECT_EQ(count_of(*fiber), 6);
}

}  // namespace
}  // namespace lightmetal::device::cpu
