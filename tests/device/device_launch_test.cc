// How kernels wait for each other on the CPU device, and what happens when they wait for ever or go
// wrong.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>

#include "tests/device/device_test_kit.h"

namespace lightmetal::device::testing {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const char* const kWaitFront = "void kernel_main() { cb_wait_front(3, 2); }";

TEST(CpuDeviceDeadlockTest, WaitForAPageNobodyPushesIsReported) {
  for (int workers : {1, 2, 8}) {
    auto device = open_cpu_with_workers(workers);
    LaunchBuilder launch(*device);
    const uint32_t reader = launch.kernel("reader.cpp", kWaitFront);
    const uint32_t fine = launch.kernel("fine.cpp", "void kernel_main() {}");
    launch.run_on({1, 2}, reader, {});
    launch.circular_buffer({1, 2}, 3, kL1, 4, 64);
    for (uint32_t x = 2; x < 8; ++x) launch.run_on({x, 0}, fine, {});
    const auto start = std::chrono::steady_clock::now();
    const absl::Status status = launch.launch();
    EXPECT_LT(std::chrono::steady_clock::now() - start,
              std::chrono::seconds(8));  // the watchdog waits ten
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(
        std::string(status.message()),
        AllOf(
            HasSubstr("1 kernel has"),
            HasSubstr(
                "core (1,2) RISCV_0 kernel reader.cpp: circular buffer 3: waits for 2 pages at the "
                "front, holds 0 of 4")));
    EXPECT_EQ(launch.launch(), status) << "the second report differs";
    expect_usable(*device);
  }
}

TEST(CpuDeviceDeadlockTest, WaitForSpaceAndForASemaphoreAreReported) {
  auto device = open_cpu_with_workers(2);
  LaunchBuilder launch(*device);
  const uint32_t writer = launch.kernel("writer.cpp", R"(
    void kernel_main() {
      for (int i = 0; i < 3; ++i) {
        cb_reserve_back(5, 1);
        cb_push_back(5, 1);
      }
    })",
                                        Processor::kRiscv1);
  const uint32_t waiter = launch.kernel("waiter.cpp", R"(
    #include <cstdint>
    void kernel_main() {
      noc_semaphore_wait(reinterpret_cast<volatile uint32_t*>(get_semaphore(1)), 4);
    })");
  launch.run_on({0, 0}, writer, {});
  launch.circular_buffer({0, 0}, 5, kL1, 2, 64);
  launch.run_on({0, 0}, waiter, {});
  launch.semaphore({0, 0}, 1, 3);
  const absl::Status status = launch.launch();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("core (0,0) RISCV_1 kernel writer.cpp: circular buffer 5: waits for "
                              "1 free page at the "
                              "back, holds 2 of 2"),
                    HasSubstr("core (0,0) RISCV_0 kernel waiter.cpp: semaphore 1 (L1 0x3010): "
                              "waits for == 4, holds 3")));
  expect_usable(*device);
}

TEST(CpuDeviceDeadlockTest, ManyBlockedKernelsAreCountedAndTheFirstOnesListed) {
  auto device = open_cpu_with_workers(2);
  LaunchBuilder launch(*device);
  const uint32_t reader = launch.kernel("reader.cpp", kWaitFront);
  for (uint32_t i = 0; i < 64; ++i) {
    const Core core{i % 8, i / 8};
    launch.run_on(core, reader, {});
    launch.circular_buffer(core, 3, kL1, 4, 64);
  }
  const std::string message(launch.launch().message());
  EXPECT_THAT(message, AllOf(HasSubstr("64 kernels have"), HasSubstr("core (7,1)"),
                             Not(HasSubstr("core (0,2)")), HasSubstr("and 48 more")));
  expect_usable(*device);
}

TEST(CpuDeviceDeadlockTest, PollingWithoutAnEndIsReported) {
  for (int workers : {1, 4}) {
    Environment environment;
    environment.set("LIGHTMETAL_CPU_DEVICE_WATCHDOG_SECONDS", "0.2");
    auto device = open_cpu_with_workers(workers);
    LaunchBuilder launch(*device);
    const uint32_t poller = launch.kernel("poller.cpp", R"(
      #include <cstdint>
      void kernel_main() {
        auto* word = reinterpret_cast<volatile uint32_t*>(0x20000);
        while (*word != 1) invalidate_l1_cache();
      })");
    const uint32_t reader = launch.kernel("reader.cpp", kWaitFront);
    launch.run_on({4, 0}, poller, {});
    launch.run_on({5, 0}, reader, {});
    launch.circular_buffer({5, 0}, 3, kL1, 4, 64);
    const absl::Status status = launch.launch();
    EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
    EXPECT_THAT(std::string(status.message()),
                AllOf(HasSubstr("core (4,0) RISCV_0 kernel poller.cpp: polls memory"),
                      HasSubstr("core (5,0) RISCV_0 kernel reader.cpp: circular buffer 3")));
    expect_usable(*device);
  }
}

TEST(CpuDeviceDeadlockTest, KernelThatComputesForLongIsNotTakenForAPollingOne) {
  Environment environment;
  environment.set("LIGHTMETAL_CPU_DEVICE_WATCHDOG_SECONDS", "0.05");
  auto device = open_cpu_with_workers(2);
  LaunchBuilder launch(*device);
  const uint32_t poller = launch.kernel("poller.cpp", R"(
    #include <cstdint>
    void kernel_main() {
      auto* word = reinterpret_cast<volatile uint32_t*>(get_semaphore(0));
      while (*word != 1) invalidate_l1_cache();
    })");
  const uint32_t computer = launch.kernel("computer.cpp", R"(
    #include <cstdint>
    void kernel_main() {
      for (volatile uint32_t i = 0; i < 300000000; i = i + 1) {}
      noc_semaphore_inc(get_noc_addr(get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1), get_semaphore(0)), 1);
    })");
  launch.run_on({0, 0}, poller, {});
  launch.semaphore({0, 0}, 0, 0);
  launch.run_on({1, 0}, computer, {noc_x(*device, {0, 0}), noc_y(*device, {0, 0})});
  const absl::Status status = launch.launch();
  EXPECT_TRUE(status.ok()) << status;
}

// A token goes round a ring of cores: core i waits for round r, then increments its neighbour's
// semaphore.
TEST(CpuDeviceSemaphoreTest, TokenGoesRoundARingOfCores) {
  for (int workers : {1, 2, 8}) {
    auto device = open_cpu_with_workers(workers);
    LaunchBuilder launch(*device);
    const uint32_t kernel = launch.kernel("ring.cpp", R"(
      #include <cstdint>
      void kernel_main() {
        uint32_t next_x = get_arg_val<uint32_t>(0), next_y = get_arg_val<uint32_t>(1), first = get_arg_val<uint32_t>(2);
        auto* semaphore = reinterpret_cast<volatile uint32_t*>(get_semaphore(0));
        auto* token = reinterpret_cast<volatile uint32_t*>(0x20000);
        for (uint32_t round = 1; round <= 200; ++round) {
          if (!first || round > 1) noc_semaphore_wait(semaphore, first ? round - 1 : round);
          *token = *token + 1;
          noc_async_write(0x20000, get_noc_addr(next_x, next_y, 0x20000), 4);
          noc_async_write_barrier();
          noc_semaphore_inc(get_noc_addr(next_x, next_y, get_semaphore(0)), 1);
        }
      })");
    for (uint32_t i = 0; i < 8; ++i) {
      const Core next{(i + 1) % 8, 0};
      launch.run_on({i, 0}, kernel, {noc_x(*device, next), noc_y(*device, next), i == 0});
      launch.semaphore({i, 0}, 0, 0);
    }
    const absl::Status status = launch.launch();
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_THAT(read_words(*device, {0, 0}, kL1, 1), ElementsAre(1600)) << workers << " workers";
  }
}

// The incrementing kernel never pauses, so the waiter runs again only when its word is 3 already.
TEST(CpuDeviceSemaphoreTest, WaiterForAValueSeesEachIncrement) {
  auto device = open_cpu_with_workers(1);
  LaunchBuilder launch(*device);
  const uint32_t waiter = launch.kernel("waiter.cpp", R"(
    #include <cstdint>
    void kernel_main() {
      noc_semaphore_inc(get_noc_addr(get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1), get_semaphore(1)), 1);
      noc_semaphore_wait(reinterpret_cast<volatile uint32_t*>(get_semaphore(0)), 2);
      *reinterpret_cast<volatile uint32_t*>(0x20000) = 1;
    })");
  const uint32_t incrementer = launch.kernel("incrementer.cpp", R"(
    #include <cstdint>
    void kernel_main() {
      noc_semaphore_wait(reinterpret_cast<volatile uint32_t*>(get_semaphore(1)), 1);
      for (uint32_t i = 0; i < 3; ++i) {
        noc_semaphore_inc(get_noc_addr(get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1), get_semaphore(0)),
                          get_arg_val<uint32_t>(2));
      }
    })");
  const Core a{0, 0}, b{1, 0};
  LaunchBuilder by_one = launch;
  for (LaunchBuilder* each : {&by_one, &launch}) {
    each->run_on(a, waiter, {noc_x(*device, b), noc_y(*device, b)});
    each->run_on(b, incrementer, {noc_x(*device, a), noc_y(*device, a), each == &by_one ? 1u : 3u});
    each->semaphore(a, 0, 0);
    each->semaphore(b, 1, 0);
  }
  const absl::Status status = by_one.launch();
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_THAT(read_words(*device, a, kL1, 1), ElementsAre(1));
  EXPECT_THAT(read_words(*device, a, 0x3000, 1), ElementsAre(3));
  EXPECT_THAT(std::string(launch.launch().message()),
              HasSubstr("semaphore 0 (L1 0x3000): waits for == 2, holds 9"))
      << "an increment by 3 is one step";
}

TEST(CpuDeviceSemaphoreTest, StoreByKernelCodeOfTheSameCoreEndsAWait) {
  auto device = open_cpu_with_workers(1);
  LaunchBuilder launch(*device);
  launch.run_on({0, 0}, launch.kernel("waiter.cpp", R"(
    #include <cstdint>
    void kernel_main() { noc_semaphore_wait_min(reinterpret_cast<volatile uint32_t*>(get_semaphore(0)), 5); })"),
                {});
  launch.run_on({0, 0},
                launch.kernel("setter.cpp", R"(
    #include <cstdint>
    void kernel_main() { noc_semaphore_set(reinterpret_cast<volatile uint32_t*>(get_semaphore(0)), 6); })",
                              Processor::kRiscv1),
                {});
  launch.semaphore({0, 0}, 0, 0);
  const absl::Status status = launch.launch();
  EXPECT_TRUE(status.ok()) << status;
}

// The run of the kernel that waited without end is used again, by one that ends while the other
// kernel of its core goes on.
TEST(CpuDeviceSemaphoreTest, AWaitThatWasGivenUpIsForgotten) {
  auto device = open_cpu_with_workers(1);
  LaunchBuilder stuck(*device), good(*device);
  stuck.run_on({1, 2}, stuck.kernel("stuck.cpp", R"(
    void kernel_main() { noc_semaphore_wait(reinterpret_cast<volatile uint32_t*>(get_semaphore(0)), 1); })"),
               {});
  EXPECT_FALSE(stuck.launch().ok());
  const std::string semaphores = R"(
    #include <cstdint>
    volatile uint32_t* semaphore(uint32_t id) {
      return reinterpret_cast<volatile uint32_t*>(get_semaphore(id));
    })";
  good.run_on({1, 2}, good.kernel("ends.cpp", semaphores + R"(
    void kernel_main() { noc_semaphore_wait(semaphore(0), 1); noc_semaphore_set(semaphore(1), 1); })"),
              {});
  good.run_on({1, 2},
              good.kernel("goes_on.cpp", semaphores + R"(
    void kernel_main() {
      noc_semaphore_set(semaphore(0), 1);
      noc_semaphore_wait(semaphore(1), 1);
      noc_semaphore_inc(get_noc_addr(get_semaphore(0)), 1);
      for (uint32_t i = 0; i < 4; ++i) invalidate_l1_cache();
      *reinterpret_cast<volatile uint32_t*>(0x20000) = *semaphore(0);
    })",
                          Processor::kRiscv1),
              {});
  for (const uint32_t id : {0u, 1u}) good.semaphore({1, 2}, id, 0);
  EXPECT_EQ(good.launch(), absl::OkStatus());
  EXPECT_THAT(read_words(*device, {1, 2}, kL1, 1), ElementsAre(2));
}

Launch on_lane(uint32_t lane, LaunchBuilder& builder) {
  Launch launch = builder.build();
  auto plan = std::make_shared<LaunchPlan>(*launch.plan);
  plan->lane = lane;
  launch.plan = std::move(plan);
  return launch;
}

// A launch on lane 1. Its kernel on core (0,0) waits until all bytes of the word at 0x20010 are 1.
// Once that kernel waits, the kernel on core (1,0) increments the word at 0x20000 of core (2,0).
Launch waiting_launch(Device& device) {
  LaunchBuilder builder(device);
  builder.run_on({0, 0}, builder.kernel("waiter.cpp", R"(
    #include <cstdint>
    void kernel_main() { noc_semaphore_wait(reinterpret_cast<volatile uint32_t*>(0x20010), 0x1010101); })"),
                 {});
  builder.run_on({1, 0}, builder.kernel("teller.cpp", R"(
    #include <cstdint>
    void kernel_main() {
      noc_semaphore_inc(get_noc_addr(get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1), 0x20000), 1);
    })"),
                 {noc_x(device, {2, 0}), noc_y(device, {2, 0})});
  return on_lane(1, builder);
}

// A launch on lane 2 that ends after the increment, and clears the word.
Launch told_launch(Device& device) {
  LaunchBuilder builder(device);
  builder.run_on({2, 0}, builder.kernel("told.cpp", R"(
    #include <cstdint>
    void kernel_main() {
      auto* word = reinterpret_cast<volatile uint32_t*>(0x20000);
      noc_semaphore_wait(word, 1);
      noc_semaphore_set(word, 0);
    })"),
                 {});
  return on_lane(2, builder);
}

struct HostWrite {
  uint32_t address;
  size_t size;  // of bytes, all of them 1
};

constexpr HostWrite kCompleteTheWord[] = {{0x20010, 4},   {0x2000c, 8}, {0x20010, 8},
                                          {0x20000, 256}, {0x20013, 1}, {0x2000e, 3}};

TEST(CpuDeviceSemaphoreTest, AHostWriteOfAnySizeEndsAWaitOnALane) {
  auto device = open_cpu_with_workers(2);
  const Launch waiting = waiting_launch(*device), told = told_launch(*device);
  for (const auto& [address, size] : kCompleteTheWord) {
    std::vector<std::byte> word(4, std::byte{1});
    for (uint32_t i = 0; i < 4; ++i) {
      if (0x20010 + i - address < size) word[i] = std::byte{0};
    }
    ASSERT_TRUE(device->write_l1({0, 0}, 0x20010, word).ok());
    auto ended = std::async(std::launch::async, [&] { return device->launch(waiting); });
    EXPECT_EQ(device->launch(told), absl::OkStatus());  // after it, core (0,0) waits
    EXPECT_EQ(device->write_l1({0, 0}, address, std::vector(size, std::byte{1})), absl::OkStatus());
    ASSERT_EQ(ended.get(), absl::OkStatus()) << size << " bytes at " << address;
  }
}

// Appends its argument to the words at 0x20000, which begin with their number; or fails at 666.
const char* const kAppendOrFail = R"(
  #include <cstdint>
  void kernel_main() {
    auto* words = reinterpret_cast<volatile uint32_t*>(0x20000);
    if (get_arg_val<uint32_t>(0) == 666) __builtin_trap();
    words[++words[0]] = get_arg_val<uint32_t>(0);
  })";

TEST(CpuDeviceLaneTest, LaunchesOfATraceEndAtTheFirstError) {
  auto device = open_cpu_with_workers(2);
  for (const uint32_t lane : {0u, 1u}) {
    write_words(*device, {1, 1}, kL1, {0});
    LaunchBuilder builder(*device);
    builder.run_on({1, 1}, builder.kernel("append.cpp", kAppendOrFail), {0});
    std::vector<Launch> launches(4, on_lane(lane, builder));
    for (uint32_t i = 0; i < 4; ++i) launches[i].args = {i == 2 ? 666 : 40 + i};
    const std::vector<const Launch*> all = {&launches[0], &launches[1], &launches[2], &launches[3]};
    EXPECT_THAT(std::string(device->launch_all(all).message()), HasSubstr("kernel append.cpp"));
    EXPECT_THAT(read_words(*device, {1, 1}, kL1, 3), ElementsAre(2, 40, 41)) << lane;
    launches[2].args = {42};
    EXPECT_EQ(device->launch_all(all), absl::OkStatus());
    EXPECT_THAT(read_words(*device, {1, 1}, kL1, 7), ElementsAre(6, 40, 41, 40, 41, 42, 43));
  }
}

// Kernels that set their own semaphores before they signal each other, on a ring of cores and on
// both processors of each.
absl::Status run_that_relies_on_the_start(Device& device, const std::string& signal) {
  LaunchBuilder launch(device);
  const std::string text = R"(
      #include <cstdint>
      void kernel_main() {
        uint32_t next_x = get_arg_val<uint32_t>(0), next_y = get_arg_val<uint32_t>(1), id = get_arg_val<uint32_t>(2);
        auto* semaphore = reinterpret_cast<volatile uint32_t*>(get_semaphore(id));
        noc_semaphore_set(semaphore, 0);
        uint64_t next = get_noc_addr(next_x, next_y, get_semaphore(id));
        )" + signal + R"(
        noc_semaphore_wait(semaphore, 1);
        *reinterpret_cast<volatile uint32_t*>(0x20000 + id * 4) = 7;
      })";
  const uint32_t kernels[] = {launch.kernel("brisc.cpp", text),
                              launch.kernel("ncrisc.cpp", text, Processor::kRiscv1)};
  for (uint32_t i = 0; i < 8; ++i) {
    const Core next{(i + 1) % 8, 0};
    write_words(device, {i, 0}, kL1, {0, 0, 1});
    for (uint32_t id : {0u, 1u}) {
      launch.run_on({i, 0}, kernels[id], {noc_x(device, next), noc_y(device, next), id});
      launch.semaphore({i, 0}, id, 0);
    }
  }
  return launch.launch();
}

TEST(CpuDeviceStartTest, KernelsSetTheirOwnSemaphoresBeforeAnybodySignalsThem) {
  for (int workers : {1, 2, 8}) {
    auto device = open_cpu_with_workers(workers);
    for (const char* signal :
         {"noc_semaphore_inc(next, 1);", "noc_inline_dw_write(next, 1);",
          "noc_async_write(0x20008, next, 4); noc_async_write_barrier();",
          "noc_async_write_multicast(0x20008, get_noc_multicast_addr(next_x, next_y, next_x, "
          "next_y, get_semaphore(id)), 4, 1); noc_async_write_barrier();"}) {
      const absl::Status status = run_that_relies_on_the_start(*device, signal);
      ASSERT_TRUE(status.ok()) << status << signal << workers << " workers";
      for (uint32_t i = 0; i < 8; ++i)
        EXPECT_THAT(read_words(*device, {i, 0}, kL1, 2), ElementsAre(7, 7)) << signal;
    }
  }
}

// What is left in L1 from an earlier launch is not seen when its core's kernels clear it first.
TEST(CpuDeviceStartTest, KernelsClearTheirL1BeforeAnybodyReadsIt) {
  for (int workers : {1, 2}) {
    auto device = open_cpu_with_workers(workers);
    LaunchBuilder launch(*device);
    const uint32_t kernel = launch.kernel("read.cpp", R"(
      #include <cstdint>
      void kernel_main() {
        *reinterpret_cast<volatile uint32_t*>(0x20000) = 0;
        noc_async_read(get_noc_addr(get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1), 0x20000), 0x20020, 4);
        noc_async_read_barrier();
      })");
    for (uint32_t i = 0; i < 8; ++i) {
      const Core next{(i + 1) % 8, 0};
      write_words(*device, {i, 0}, kL1, {55});
      launch.run_on({i, 0}, kernel, {noc_x(*device, next), noc_y(*device, next)});
    }
    const absl::Status status = launch.launch();
    ASSERT_TRUE(status.ok()) << status;
    for (uint32_t i = 0; i < 8; ++i)
      EXPECT_THAT(read_words(*device, {i, 0}, 0x20020, 1), ElementsAre(0)) << i;
  }
}

// A kernel that is still busy with its own start holds nobody up who does not want at other cores.
TEST(CpuDeviceStartTest, KernelsWithoutNeighboursEndBeforeOthersStart) {
  auto device = open_cpu_with_workers(1);
  LaunchBuilder launch(*device);
  const uint32_t kernel = launch.kernel("append.cpp", R"(
    #include <cstdint>
    void kernel_main() {
      uint64_t log = get_noc_addr_from_bank_id<true>(0, 64);
      for (uint32_t i = 0; i < 2; ++i) {
        noc_async_read(log, 0x20000, 64);
        noc_async_read_barrier();
        auto* words = reinterpret_cast<volatile uint32_t*>(0x20000);
        words[++words[0]] = get_arg_val<uint32_t>(0);
        noc_async_write(0x20000, log, 64);
        noc_async_write_barrier();
      }
    })");
  for (uint32_t i = 0; i < 3; ++i) launch.run_on({i, 0}, kernel, {i});
  ASSERT_TRUE(launch.launch().ok());
  std::vector<uint32_t> log(7);
  ASSERT_TRUE(device->read_dram(0, 64, {reinterpret_cast<std::byte*>(log.data()), 28}).ok());
  EXPECT_THAT(log, ElementsAre(6, 0, 0, 1, 1, 2, 2));
}

// A program with a race: kernels read a log from DRAM, let others run, add a line and write it
// back. Its result is the schedule's.
std::vector<uint32_t> log_of_a_race(int workers) {
  auto device = open_cpu_with_workers(workers);
  LaunchBuilder launch(*device);
  const std::string text = R"(
    #include <cstdint>
    void kernel_main() {
      uint64_t log = get_noc_addr_from_bank_id<true>(0, 64);
      uint32_t mine = get_arg_val<uint32_t>(0), place = 0x20000 + mine % 2 * 0x1000;
      auto* words = reinterpret_cast<volatile uint32_t*>(place);
      for (uint32_t i = 0; i < 5; ++i) {
        noc_async_read(log, place, 512);
        noc_async_read_barrier();
        if (mine % 3 == i % 3) invalidate_l1_cache();
        words[++words[0]] = mine * 16 + i;
        if (mine % 2 == i % 2) noc_semaphore_inc(get_noc_addr(get_arg_val<uint32_t>(1), get_arg_val<uint32_t>(2), get_semaphore(0)), 1);
        noc_async_write(place, log, 512);
        noc_async_write_barrier();
      }
    })";
  const uint32_t kernels[] = {launch.kernel("brisc.cpp", text),
                              launch.kernel("ncrisc.cpp", text, Processor::kRiscv1)};
  for (uint32_t i = 0; i < 8; ++i) {
    for (uint32_t p : {0u, 1u})
      launch.run_on({i, 0}, kernels[p],
                    {i * 2 + p, noc_x(*device, {7 - i, 0}), noc_y(*device, {7 - i, 0})});
  }
  const absl::Status status = launch.launch();
  EXPECT_TRUE(status.ok()) << status;
  std::vector<uint32_t> log(128);
  EXPECT_TRUE(device->read_dram(0, 64, {reinterpret_cast<std::byte*>(log.data()), 512}).ok());
  return log;
}

TEST(CpuDeviceScheduleTest, OneWorkerGivesARaceTheSameResultEachTime) {
  const std::vector<uint32_t> first = log_of_a_race(1);
  EXPECT_GT(first[0], 0u);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(log_of_a_race(1), first);
}

TEST(CpuDeviceScheduleTest, WhatIsUnderWayAtTheEndOfALaunchHasArrivedAfterIt) {
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    auto device = open_cpu({.chip_id = 0,
                            .profile = {},
                            .schedule = Schedule{.kind = Schedule::Kind::Random, .seed = seed}});
    LaunchBuilder launch(*device);
    launch.run_on({0, 0}, launch.kernel("no_barrier.cpp", R"(
      #include <cstdint>
      void kernel_main() {
        const uint64_t other = get_noc_addr(get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1), 0x20000);
        auto* words = reinterpret_cast<volatile uint32_t*>(0x30000);
        for (uint32_t i = 0; i < 8; ++i) words[i] = i + 1;
        for (uint32_t i = 0; i < 8; ++i) noc_async_write(0x30000 + i * 4, other + 64 + i * 4, 4);
        noc_async_write(0x30000, other + 128, 32);
        noc_inline_dw_write(other + 160, 9);
        for (uint32_t i = 0; i < 8; ++i) noc_semaphore_inc(other, 3);
      })"),
                  {noc_x(*device, {1, 0}), noc_y(*device, {1, 0})});
    EXPECT_EQ(launch.launch(), absl::OkStatus());
    EXPECT_THAT(read_words(*device, {1, 0}, kL1, 1), ElementsAre(24)) << seed;
    EXPECT_THAT(read_words(*device, {1, 0}, kL1 + 64, 8), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
    EXPECT_THAT(read_words(*device, {1, 0}, kL1 + 128, 9), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9));
  }
}

// With the check nobody waits, so what relies on it is seen.
TEST(CpuDeviceStartTest, CheckFindsWhoReliesOnTheStartOfOthers) {
  Environment environment;
  environment.set("LIGHTMETAL_CPU_DEVICE_CHECKS", "start");
  auto device = open_cpu_with_workers(1);
  const absl::Status status = run_that_relies_on_the_start(*device, "noc_semaphore_inc(next, 1);");
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("every kernel waits for what no other will do"),
                    HasSubstr("semaphore 0 (L1 0x3000): waits for == 1, holds 0")));
}

TEST(CpuDeviceSemaphoreTest, InitialValuesAreWrittenAtEveryLaunch) {
  auto device = open_cpu_with_workers(1);
  LaunchBuilder builder(*device);
  builder.run_on({0, 0}, builder.kernel("take.cpp", R"(
    #include <cstdint>
    void kernel_main() {
      auto* semaphore = reinterpret_cast<volatile uint32_t*>(get_semaphore(2));
      noc_semaphore_wait(semaphore, 7);
      noc_semaphore_set(semaphore, 0);
    })"),
                 {});
  builder.semaphore({0, 0}, 2, 7);
  const Launch launch = builder.build();
  for (int i = 0; i < 3; ++i) {
    const absl::Status status = device->launch(launch);
    EXPECT_TRUE(status.ok()) << status;
  }
}

TEST(CpuDeviceNocTest, MulticastReachesTheRectangleWithAndWithoutTheSender) {
  auto device = open_cpu_with_workers(2);
  const char* const kernel_text = R"(
    #include <cstdint>
    void kernel_main() {
      uint64_t target = get_noc_multicast_addr(get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1),
                                               get_arg_val<uint32_t>(2), get_arg_val<uint32_t>(3), 0x21000);
      if (get_arg_val<uint32_t>(4)) {
        noc_async_write_multicast_loopback_src(0x20000, target, 8, 6);
      } else {
        noc_async_write_multicast(0x20000, target, 8, 5);
      }
      noc_async_write_barrier();
    })";
  for (const bool include_self : {false, true}) {
    for (const bool swapped : {false, true}) {
      Core first{2, 3}, last{4, 4};
      if (swapped) std::swap(first, last);
      for (uint32_t i = 0; i < 64; ++i) write_words(*device, {i % 8, i / 8}, 0x21000, {0, 0});
      write_words(*device, {3, 3}, kL1, {11, 12});
      LaunchBuilder launch(*device);
      launch.run_on({3, 3}, launch.kernel("multicast.cpp", kernel_text),
                    {noc_x(*device, first), noc_y(*device, first), noc_x(*device, last),
                     noc_y(*device, last), include_self});
      const absl::Status status = launch.launch();
      ASSERT_TRUE(status.ok()) << status;
      for (uint32_t i = 0; i < 64; ++i) {
        const Core core{i % 8, i / 8};
        const bool inside = core.x >= 2 && core.x <= 4 && core.y >= 3 && core.y <= 4;
        const bool written = inside && (include_self || core != Core{3, 3});
        EXPECT_THAT(read_words(*device, core, 0x21000, 2),
                    ElementsAre(written ? 11 : 0, written ? 12 : 0))
            << core.x << "," << core.y << (swapped ? " swapped" : "");
      }
    }
  }
}

TEST(CpuDeviceNocTest, MulticastOfASemaphoreWakesItsReceivers) {
  for (int workers : {1, 2, 8}) {
    auto device = open_cpu_with_workers(workers);
    LaunchBuilder launch(*device);
    const uint32_t receiver = launch.kernel("receiver.cpp", R"(
      #include <cstdint>
      void kernel_main() {
        noc_semaphore_inc(get_noc_addr(get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1), get_semaphore(1)), 1);
        noc_semaphore_wait(reinterpret_cast<volatile uint32_t*>(get_semaphore(0)), 1);
        auto* data = reinterpret_cast<volatile uint32_t*>(0x20000);
        uint32_t sum = 0;
        for (uint32_t i = 0; i < 1024; ++i) sum += data[i];
        data[1024] = sum;
      })");
    const uint32_t sender = launch.kernel("sender.cpp", R"(
      #include <cstdint>
      void kernel_main() {
        auto* data = reinterpret_cast<volatile uint32_t*>(0x20000);
        for (uint32_t i = 0; i < 1024; ++i) data[i] = 3;
        noc_semaphore_wait(reinterpret_cast<volatile uint32_t*>(get_semaphore(1)), 15);
        uint32_t x0 = get_arg_val<uint32_t>(0), y0 = get_arg_val<uint32_t>(1);
        uint32_t x1 = get_arg_val<uint32_t>(2), y1 = get_arg_val<uint32_t>(3);
        noc_async_write_multicast(0x20000, get_noc_multicast_addr(x0, y0, x1, y1, 0x20000), 4096, 15);
        noc_semaphore_set(reinterpret_cast<volatile uint32_t*>(get_semaphore(0)), 1);
        noc_semaphore_set_multicast(get_semaphore(0), get_noc_multicast_addr(x0, y0, x1, y1, get_semaphore(0)), 15);
      })");
    const uint32_t x0 = noc_x(*device, {0, 0}), y0 = noc_y(*device, {0, 0});
    for (uint32_t i = 0; i < 16; ++i) {
      const Core core{i % 4, i / 4};
      launch.run_on(core, i == 0 ? sender : receiver, {x0, y0, x0 + 3, y0 + 3});
      launch.semaphore(core, 0, 0);
      launch.semaphore(core, 1, 0);
    }
    const absl::Status status = launch.launch();
    ASSERT_TRUE(status.ok()) << status;
    for (uint32_t i = 1; i < 16; ++i) {
      EXPECT_THAT(read_words(*device, {i % 4, i / 4}, kL1 + 4096, 1), ElementsAre(3072));
    }
  }
}

TEST(CpuDeviceNocTest, WriteOfAWordChangesTheEnabledBytes) {
  auto device = open_cpu_with_workers(1);
  std::vector<uint32_t> words = {0x11223344, 0x11223344};
  write_words(*device, {1, 0}, kL1, words);
  ASSERT_TRUE(device->write_dram(2, 64, bytes_of_words(words)).ok());
  LaunchBuilder launch(*device);
  launch.run_on({0, 0}, launch.kernel("word.cpp", R"(
    #include <cstdint>
    void kernel_main() {
      noc_inline_dw_write(get_noc_addr(get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1), 0x20000), 0xaabbccdd, 0x5);
      noc_inline_dw_write(get_noc_addr_from_bank_id<true>(2, 64), 0xaabbccdd);
      noc_inline_dw_write(get_noc_addr_from_bank_id<true>(2, 68), 0xaabbccdd, 0xa);
    })"),
                {noc_x(*device, {1, 0}), noc_y(*device, {1, 0})});
  const absl::Status status = launch.launch();
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_THAT(read_words(*device, {1, 0}, kL1, 1), ElementsAre(0x11bb33dd));
  ASSERT_TRUE(device->read_dram(2, 64, {reinterpret_cast<std::byte*>(words.data()), 8}).ok());
  EXPECT_THAT(words, ElementsAre(0xaabbccdd, 0xaa22cc44));
}

class CpuDeviceFailureTest : public ::testing::Test {
 protected:
  // Runs `statement` in a kernel on core (1,2) beside a waiting one, and expects an error with
  // `text`.
  void expect_failure(const std::string& statement, absl::StatusCode code, const std::string& text,
                      const std::vector<uint32_t>& args = {}) {
    LaunchBuilder launch(*device_);
    launch.run_on(
        {1, 2},
        launch.kernel("wrong.cpp", "#include <cstdint>\nvoid kernel_main() {" + statement + "}"),
        args);
    launch.run_on({0, 0}, launch.kernel("reader.cpp", kWaitFront), {});
    launch.circular_buffer({0, 0}, 3, kL1, 4, 64);
    const absl::Status status = launch.launch();
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_THAT(std::string(status.message()),
                AllOf(HasSubstr("core (1,2) RISCV_0 kernel wrong.cpp"), HasSubstr(text)));
    expect_usable(*device_);
  }

  std::unique_ptr<Device> device_ = open_cpu_with_workers(2);
};

TEST_F(CpuDeviceFailureTest, TransfersThatLeaveMemoryFailTheLaunch) {
  const auto kOutOfRange = absl::StatusCode::kOutOfRange;
  const std::vector<uint32_t> neighbour = {noc_x(*device_, {3, 4}), noc_y(*device_, {3, 4})};
  const std::string target = "get_noc_addr(get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1), ";
  expect_failure(
      "noc_async_write(0x20000, " + target + "1499136 - 32), 64);", kOutOfRange,
      "NoC write: L1 of core (3,4) holds 1499136 bytes; 64 bytes at 0x16dfe0 end outside it",
      neighbour);
  expect_failure("noc_async_write(1499136 - 32, " + target + "0x20000), 64);", kOutOfRange,
                 "NoC write: the core's own L1 holds 1499136 bytes", neighbour);
  expect_failure(
      "noc_async_write(0x20000, get_noc_addr(60, 60, 0x20000), 64);", kOutOfRange,
      "nothing is at NoC coordinate (60,60); the first worker is at (18,18), DRAM bank 0 at "
      "(0,11)");
  expect_failure(
      "noc_async_read(get_noc_addr_from_bank_id<true>(4, 0x40000000 - 4), 0x20000, 8);",
      kOutOfRange,
      "NoC read: DRAM bank 4 holds 1073741824 bytes; 8 bytes at 0x3ffffffc end outside it");
  expect_failure("noc_semaphore_inc(" + target + "0x20002), 1);", kOutOfRange,
                 "not a multiple of 4", neighbour);
  expect_failure("noc_semaphore_inc(get_noc_addr_from_bank_id<true>(0, 64), 1);", kOutOfRange,
                 "no atomic increment");
  expect_failure(
      "noc_async_write_multicast(0x20000, get_noc_multicast_addr(0, 1, 1, 1, 0x20000), 4, 2);",
      kOutOfRange, "is not a worker");
}

TEST_F(CpuDeviceFailureTest, FailedAssertNamesItsPlace) {
  expect_failure("ASSERT(get_arg_val<uint32_t>(0) == 2);", absl::StatusCode::kInternal,
                 "get_arg_val<uint32_t>(0) == 2", {1});
}

TEST_F(CpuDeviceFailureTest, MissingCircularBufferIsNamed) {
  expect_failure("cb_wait_front(9, 1);", absl::StatusCode::kInternal, "circular buffer 9");
}

#if defined(__x86_64__) || defined(__aarch64__)
TEST_F(CpuDeviceFailureTest, InvalidMemoryAccessFailsTheLaunchNotTheProcess) {
  expect_failure("*reinterpret_cast<volatile uint32_t*>(get_arg_val<uint32_t>(0)) = 1;",
                 absl::StatusCode::kInternal,
                 "invalid memory access (SIGSEGV), at L1 address 0x40000000", {0x40000000});
}

TEST_F(CpuDeviceFailureTest, JumpIntoDataFailsTheLaunchNotTheProcess) {
  expect_failure("reinterpret_cast<void (*)()>(get_arg_val<uint32_t>(0))();",
                 absl::StatusCode::kInternal,
                 "invalid memory access (SIGSEGV), at L1 address 0x20000", {0x20000});
}

TEST_F(CpuDeviceFailureTest, TrapFailsTheLaunchNotTheProcess) {
  expect_failure("__builtin_trap();", absl::StatusCode::kInternal, "illegal instruction or trap");
}

TEST_F(CpuDeviceFailureTest, StackThatGrowsTooFarIsNamed) {
  expect_failure(R"(
    struct Deep {
      static uint32_t go(uint32_t n) {
        volatile uint32_t frame[128];
        frame[n % 128] = n;
        return n == 0 ? 0 : go(n - 1) + frame[n % 128];
      }
    };
    *reinterpret_cast<volatile uint32_t*>(0x20000) = Deep::go(get_arg_val<uint32_t>(0));)",
                 absl::StatusCode::kInternal, "stack of 248 KiB is full", {100000});
}
#endif

#if defined(__x86_64__)
// As kernels in files do that were compiled when the pass left divisions as they were.
TEST_F(CpuDeviceFailureTest, InstructionThatDividesByZeroFailsTheLaunchNotTheProcess) {
  expect_failure("asm volatile(\"xorl %%ecx, %%ecx; divl %%ecx\" ::: \"eax\", \"ecx\", \"edx\");",
                 absl::StatusCode::kInternal, "division by zero (SIGFPE)");
}
#endif

TEST(CpuDeviceKernelTest, FindsEmptyCircularBuffersAndZerosWhateverTheLaunchBeforeHasLeft) {
  auto device = open_cpu_with_workers(1);
  LaunchBuilder launch(*device);
  launch.run_on({1, 2}, launch.kernel("leaves.cpp", R"(
    #include <cstdint>
    void kernel_main() {
      auto* zeros = reinterpret_cast<volatile uint32_t*>(MEM_ZEROS_BASE);
      auto* out = reinterpret_cast<volatile uint32_t*>(0x30000);
      constexpr uint32_t kLast = MEM_ZEROS_SIZE / 4 - 1;
      out[0] = zeros[0];
      out[1] = zeros[kLast];
      zeros[0] = zeros[kLast] = 7;
      cb_reserve_back(3, 4);
      cb_push_back(3, 4);
    })"),
                {});
  launch.circular_buffer({1, 2}, 3, kL1, 4, 64);
  for (int i = 0; i < 2; ++i) {
    write_words(*device, {1, 2}, 0x30000, {1, 1});
    EXPECT_EQ(launch.launch(), absl::OkStatus());
    EXPECT_THAT(read_words(*device, {1, 2}, 0x30000, 2), ElementsAre(0, 0));
  }
}

// The words of a remote circular buffer lie in L1, where anybody writes.
TEST(CpuDeviceKernelTest, ASpoiltRemoteConfigurationLeadsNoTileOutOfL1) {
  auto device = open_cpu_with_workers(1);
  constexpr uint32_t kConfig = 0x30000, kPage = 2048, kHuge = 0x7ffff000;
  write_words(*device, {1, 2}, kConfig, {0, 1, kL1, kHuge, kL1, 0, 0});
  LaunchBuilder launch(*device);
  const uint32_t kernel = launch.kernel("far.cpp", R"(
    #include "compute_kernel_api/eltwise_unary/eltwise_unary.h"
    #include "compute_kernel_api/tile_move_copy.h"
    void kernel_main() {
      tile_regs_acquire();
      copy_tile(3, get_arg_val<uint32_t>(0), 0);
    })",
                                        Processor::kCompute);
  launch.run_on({1, 2}, kernel, {kHuge / kPage - 1});
  launch.circular_buffer({1, 2}, 3, kL1, 4, kPage);
  launch.core({1, 2}).remote_circular_buffers.push_back(
      {.index = 31, .config_address = kConfig, .page_size = kPage});
  EXPECT_THAT(std::string(launch.launch().message()), HasSubstr("past the end of L1"));
  expect_usable(*device);
}

#if defined(__x86_64__)
TEST(CpuDeviceKernelTest, FindsTheProcessorsArithmeticAsAProgramBegins) {
  auto device = open_cpu_with_workers(1);
  LaunchBuilder first(*device), second(*device);
  first.run_on({0, 0}, first.kernel("changes.cpp", R"(
    void kernel_main() {
      const uint32_t vectors = 0xffc0;
      const uint16_t x87 = 0x0f7f;
      asm volatile("ldmxcsr %0; fldcw %1" : : "m"(vectors), "m"(x87));
    })"),
               {});
  second.run_on({0, 0}, second.kernel("looks.cpp", R"(
    void kernel_main() {
      uint32_t vectors = 0;
      uint16_t x87 = 0;
      asm volatile("stmxcsr %0; fnstcw %1" : "=m"(vectors), "=m"(x87));
      auto* const words = reinterpret_cast<volatile uint32_t*>(0x30000);
      words[0] = vectors;
      words[1] = x87;
    })"),
                {});
  EXPECT_EQ(first.launch(), absl::OkStatus());
  EXPECT_EQ(second.launch(), absl::OkStatus());
  EXPECT_THAT(read_words(*device, {0, 0}, 0x30000, 2), ElementsAre(0x1f80, 0x37f));
}
#endif

}  // namespace
}  // namespace lightmetal::device::testing
