#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/device/device_test_kit.h"

// What tests of diagnosis share: a device that checks, and one kernel on core (1,2) whose source
// begins with line 1.
namespace lightmetal::device::testing {

inline constexpr Core kWhere{1, 2};
inline constexpr uint32_t kScratch = 0x30000;  // L1 that nothing uses

inline std::unique_ptr<Device> open_checking(const std::string& checks) {
  Environment environment;
  environment.set("LIGHTMETAL_CPU_DEVICE_CHECKS", checks);
  environment.set("LIGHTMETAL_CPU_DEVICE_WORKERS", "2");
  return open_cpu();
}

// Runs a kernel that is called buggy.cpp: core (1,2) has circular buffer 3 of 4 pages of 64 bytes
// and semaphore 1; its arguments are the NoC coordinates of core (0,0).
inline absl::Status run_kernel(Device& device, const std::string& text,
                               Processor processor = Processor::kRiscv0) {
  LaunchBuilder launch(device);
  const uint32_t kernel = launch.kernel("buggy.cpp", "#include <cstdint>\n" + text, processor);
  launch.run_on(kWhere, kernel, {noc_x(device, {0, 0}), noc_y(device, {0, 0})});
  launch.circular_buffer(kWhere, 3, kL1, 4, 64);
  launch.semaphore(kWhere, 1, 0);
  return launch.launch();
}

// The launch fails, the message says who, what and at which line, and the device stays usable.
inline void expect_report(Device& device, const std::string& text, const std::string& what,
                          int line, Processor processor = Processor::kRiscv0) {
  const absl::Status status = run_kernel(device, text, processor);
  EXPECT_FALSE(status.ok());
  const char* processors[] = {"RISCV_0", "RISCV_1", "COMPUTE"};
  EXPECT_THAT(
      std::string(status.message()),
      ::testing::AllOf(
          ::testing::StartsWith(std::string("core (1,2) ") +
                                processors[static_cast<int>(processor)] + " kernel buggy.cpp: "),
          ::testing::HasSubstr(what),
          ::testing::EndsWith(" (at buggy.cpp:" + std::to_string(line) + ")")));
  expect_usable(device);
}

inline void expect_ok(const absl::Status& status) { EXPECT_TRUE(status.ok()) << status; }

}  // namespace lightmetal::device::testing
