#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/backend_conformance/conformance.h"
#include "tests/device/device_test_kit.h"

// What the checks share.
namespace lightmetal::device::conformance {

using ::lightmetal::device::testing::bytes_of_words;
using ::lightmetal::device::testing::kL1;
using ::lightmetal::device::testing::LaunchBuilder;
using ::lightmetal::device::testing::noc_x;
using ::lightmetal::device::testing::noc_y;
using ::lightmetal::device::testing::read_words;
using ::lightmetal::device::testing::write_words;

inline constexpr char kEmptyKernel[] = "void kernel_main() {}";

// Ends the check, as nothing more can be said of a backend that opens no device.
inline std::unique_ptr<Device> open_or_throw(const Open& open, const DeviceOptions& options = {}) {
  auto device = open(options);
  if (!device.ok()) throw std::runtime_error("no device: " + device.status().ToString());
  return *std::move(device);
}

inline void expect_ok(const absl::Status& status) { EXPECT_TRUE(status.ok()) << status; }

inline void expect_code(const absl::Status& status, absl::StatusCode code) {
  EXPECT_EQ(status.code(), code) << status;
}

// Bytes that differ from place to place and from seed to seed, none of them 0.
inline std::vector<std::byte> pattern(size_t size, uint32_t seed) {
  std::vector<std::byte> bytes(size);
  for (std::byte& each : bytes)
    each = static_cast<std::byte>(1 + ((seed = seed * 1664525 + 1013904223) >> 24) % 255);
  return bytes;
}

}  // namespace lightmetal::device::conformance
