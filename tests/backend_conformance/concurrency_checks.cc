// Queues call a device from threads of their own.
#include <atomic>
#include <chrono>
#include <thread>

#include "tests/backend_conformance/kit.h"

namespace lightmetal::device::conformance {
namespace {

constexpr uint32_t kThreads = 4;

template <typename Function>
void on_threads(uint32_t count, Function function) {
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < count; ++i) threads.emplace_back([&function, i] { function(i); });
  for (std::thread& thread : threads) thread.join();
}

// Pieces of neighbours, so that one that is written too wide is seen.
void transfers_from_several_threads_keep_apart(const Open& open) {
  constexpr size_t kSize = 4099;
  const auto device = open_or_throw(open);
  on_threads(kThreads, [&](uint32_t i) {
    std::vector<std::byte> found(kSize);
    for (uint32_t round = 0; round < 50; ++round) {
      const std::vector<std::byte> data = pattern(kSize, 100 * i + round);
      expect_ok(device->write_dram(1, i * kSize, data));
      expect_ok(device->write_l1({2, 2}, kL1 + i * kSize, data));
      expect_ok(device->read_dram(1, i * kSize, absl::MakeSpan(found)));
      EXPECT_TRUE(found == data);
      expect_ok(device->read_l1({2, 2}, kL1 + i * kSize, absl::MakeSpan(found)));
      EXPECT_TRUE(found == data);
    }
  });
}

// Kernels read, let others run, and write: what two launches did at the same time would be lost.
void launches_from_several_threads_run_one_after_the_other(const Open& open) {
  const auto device = open_or_throw(open);
  LaunchBuilder builder(*device);
  const uint32_t kernel = builder.kernel("count.cpp", R"(
    #include <cstdint>
    void kernel_main() {
      auto* word = reinterpret_cast<volatile uint32_t*>(0x20000);
      const uint32_t before = *word;
      invalidate_l1_cache();
      *word = before + 1;
    })");
  for (uint32_t x = 0; x < 4; ++x) builder.run_on({x, 0}, kernel, {});
  const Launch launch = builder.build();
  on_threads(kThreads, [&](uint32_t) {
    for (int i = 0; i < 50; ++i) expect_ok(device->launch(launch));
  });
  for (uint32_t x = 0; x < 4; ++x)
    EXPECT_EQ(read_words(*device, {x, 0}, kL1, 1), std::vector<uint32_t>{200});
}

Launch on_lane(uint32_t lane, const LaunchBuilder& builder) {
  LaunchBuilder copy = builder;
  Launch launch = copy.build();
  auto plan = std::make_shared<LaunchPlan>(*launch.plan);
  plan->lane = lane;
  launch.plan = std::move(plan);
  return launch;
}

// The kernel of the first lane waits for a word that the kernel of the second one sends.
void launches_on_different_lanes_run_at_the_same_time(const Open& open) {
  const auto device = open_or_throw(open);
  LaunchBuilder waiting(*device), sending(*device);
  waiting.run_on({0, 0}, waiting.kernel("waiting.cpp", R"(
    #include <cstdint>
    void kernel_main() {
      noc_semaphore_wait(reinterpret_cast<volatile uint32_t*>(0x20000), 1);
      *reinterpret_cast<volatile uint32_t*>(0x20010) = 1;
    })"),
                 {});
  sending.run_on({4, 4}, sending.kernel("sending.cpp", R"(
    #include <cstdint>
    void kernel_main() {
      noc_semaphore_inc(get_noc_addr(get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1), 0x20000), 1);
    })"),
                 {noc_x(*device, {0, 0}), noc_y(*device, {0, 0})});
  const Launch launches[] = {on_lane(1, waiting), on_lane(2, sending)};
  std::thread first([&] { expect_ok(device->launch(launches[0])); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // so that it waits by then
  expect_ok(device->launch(launches[1]));
  first.join();
  EXPECT_EQ(read_words(*device, {0, 0}, 0x20010, 1), std::vector<uint32_t>{1});
}

// One device ends and is opened again while another one works.
void devices_end_while_others_work(const Open& open) {
  const auto device = open_or_throw(open);
  LaunchBuilder builder(*device);
  builder.run_on({0, 0}, builder.kernel("empty.cpp", kEmptyKernel), {});
  const Launch launch = builder.build();
  std::atomic<bool> done = false;
  std::thread worker([&] {
    while (!done) {
      expect_ok(device->launch(launch));
      write_words(*device, {0, 0}, kL1, {1});
    }
  });
  for (int i = 0; i < 5; ++i) {
    const auto other = open_or_throw(open, {.chip_id = 1, .profile = {}});
    LaunchBuilder others(*other);
    others.run_on({0, 0}, others.kernel("empty.cpp", kEmptyKernel), {});
    expect_ok(others.launch());
  }
  done = true;
  worker.join();
}

}  // namespace

absl::Span<const Check> concurrency_checks() {
  static constexpr Check kChecks[] = {
      {"TransfersFromSeveralThreadsKeepApart", transfers_from_several_threads_keep_apart},
      {"LaunchesFromSeveralThreadsRunOneAfterTheOther",
       launches_from_several_threads_run_one_after_the_other},
      {"LaunchesOnDifferentLanesRunAtTheSameTime",
       launches_on_different_lanes_run_at_the_same_time},
      {"DevicesEndWhileOthersWork", devices_end_while_others_work},
  };
  return kChecks;
}

}  // namespace lightmetal::device::conformance
