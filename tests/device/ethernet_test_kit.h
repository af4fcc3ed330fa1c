#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/device/device_test_kit.h"

// What tests of Ethernet cores share: chips that are open together, and launches with kernels on
// Ethernet cores.
namespace lightmetal::device::testing {

inline std::unique_ptr<Device> open_chip(int chip, int workers = 2,
                                         const std::string& patience = "20") {
  Environment environment;
  environment.set("LIGHTMETAL_CPU_DEVICE_WORKERS", std::to_string(workers));
  environment.set("LIGHTMETAL_CPU_DEVICE_WATCHDOG_SECONDS", patience);
  DeviceOptions options;
  options.chip_id = chip;
  return open_cpu(options);
}

// Builds one launch. Ethernet cores are given by number.
class ChipLaunch {
 public:
  explicit ChipLaunch(Device& device) : device_(device) {}

  ChipLaunch& ethernet(uint32_t core, const std::string& text,
                       const std::vector<uint32_t>& args = {}) {
    add(plan_of(CoreKind::kEthernet, {0, core}), text, Processor::kEthernet, args);
    return *this;
  }
  ChipLaunch& worker(Core core, const std::string& text, const std::vector<uint32_t>& args = {},
                     Processor processor = Processor::kRiscv0) {
    add(plan_of(CoreKind::kWorker, core), text, processor, args);
    return *this;
  }
  ChipLaunch& semaphore(CoreKind kind, Core core, uint32_t id, uint32_t value) {
    plan_of(kind, core).semaphores.push_back({id, value});
    return *this;
  }

  absl::Status run() {
    static std::atomic<uint64_t> next_id{uint64_t{1} << 40};
    auto plan = std::make_shared<LaunchPlan>(plan_);
    plan->id = next_id++;
    return device_.launch({.plan = std::move(plan), .args = args_});
  }
  std::future<absl::Status> start() {
    return std::async(std::launch::async, [this] { return run(); });
  }

 private:
  CorePlan& plan_of(CoreKind kind, Core core) {
    for (CorePlan& known : plan_.cores) {
      if (known.kind == kind && known.core == core) return known;
    }
    CorePlan& plan = plan_.cores.emplace_back();
    plan.kind = kind;
    plan.core = core;
    return plan;
  }
  void add(CorePlan& core, const std::string& text, Processor processor,
           const std::vector<uint32_t>& args) {
    const std::string name = core.kind == CoreKind::kEthernet ? "eth.cpp" : "worker.cpp";
    plan_.kernels.push_back({load(device_, name, text, processor), processor, 0, name});
    core.kernels.push_back({.kernel = static_cast<uint32_t>(plan_.kernels.size() - 1),
                            .args_begin = static_cast<uint32_t>(args_.size()),
                            .args_count = static_cast<uint32_t>(args.size())});
    args_.insert(args_.end(), args.begin(), args.end());
  }

  Device& device_;
  LaunchPlan plan_;
  std::vector<uint32_t> args_;
};

inline void write_ethernet(Device& device, uint32_t core, uint32_t address,
                           const std::vector<uint32_t>& words) {
  const absl::Status status = device.write_ethernet_l1({0, core}, address, bytes_of_words(words));
  EXPECT_TRUE(status.ok()) << status;
}

inline std::vector<uint32_t> read_ethernet(Device& device, uint32_t core, uint32_t address,
                                           size_t count) {
  std::vector<uint32_t> words(count);
  const absl::Status status = device.read_ethernet_l1(
      {0, core}, address, {reinterpret_cast<std::byte*>(words.data()), count * sizeof(uint32_t)});
  EXPECT_TRUE(status.ok()) << status;
  return words;
}

// Words that no other seed gives.
inline std::vector<uint32_t> pattern(uint32_t seed, size_t count) {
  std::vector<uint32_t> words(count);
  for (size_t i = 0; i < count; ++i) words[i] = seed * 0x9E3779B1u + static_cast<uint32_t>(i);
  return words;
}

// Sends args 1 bytes from arg 0 to arg 0 of the other core, and waits until they were taken.
inline constexpr char kSender[] = R"(
void kernel_main() {
  const uint32_t address = get_arg_val<uint32_t>(0);
  eth_send_bytes(address, address, get_arg_val<uint32_t>(1));
  eth_wait_for_receiver_done();
})";

// Waits for arg 1 bytes.
inline constexpr char kReceiver[] = R"(
void kernel_main() {
  eth_wait_for_bytes(get_arg_val<uint32_t>(1));
  eth_receiver_done();
})";

inline constexpr uint32_t kData = 0x10000;  // in the L1 of Ethernet cores

}  // namespace lightmetal::device::testing
