// Launching a program again allocates nothing, neither on the device nor in a queue.
#include <gtest/gtest.h>

#include <cstdlib>
#include <tt-metalium/device.hpp>
#include <tt-metalium/host_api.hpp>

#include "api/src/devices/device_impl.h"
#include "api/src/programs/program_launch.h"
#include "benchmarks/counted_allocations.h"
#include "benchmarks/programs.h"
#include "examples/common/tiles.h"

namespace lightmetal::bench::allocation {
namespace {

using namespace tt::tt_metal;

constexpr uint32_t kTiles = 128;

class LaunchAllocations : public ::testing::Test {
 protected:
  LaunchAllocations() {
    setenv("LIGHTMETAL_DEVICE", "cpu", 1);
    setenv("LIGHTMETAL_CPU_DEVICE_WORKERS", "2", 1);
    device_ = CreateDevice(0, 1, DEFAULT_L1_SMALL_SIZE, /*trace_region_size=*/1 << 20);
    a_ = example::make_tiles(device_, kTiles);
    b_ = example::make_tiles(device_, kTiles);
    sum_ = example::make_tiles(device_, kTiles);
  }
  ~LaunchAllocations() override {
    a_.reset();
    b_.reset();
    sum_.reset();
    CloseDevice(device_);
  }

  CommandQueue& queue() { return device_->command_queue(); }
  Program program() {
    return make_sum_program(device_->compute_with_storage_grid_size(), kTiles, /*batch=*/1, *a_,
                            *b_, *sum_);
  }

  std::vector<bfloat16> filled(float value) {
    return std::vector<bfloat16>(kTiles * example::kTileBytes / sizeof(bfloat16), bfloat16(value));
  }

  // What was counted has computed the sum, which was 0 before.
  void expect_computed() {
    std::vector<bfloat16> sum;
    EnqueueReadBuffer(queue(), *sum_, sum, /*blocking=*/true);
    EXPECT_EQ(sum, filled(3));
  }

  void SetUp() override {
    EnqueueWriteBuffer(queue(), *a_, filled(1), /*blocking=*/true);
    EnqueueWriteBuffer(queue(), *b_, filled(2), /*blocking=*/true);
    EnqueueWriteBuffer(queue(), *sum_, filled(0), /*blocking=*/true);
  }

  IDevice* device_;
  std::shared_ptr<Buffer> a_, b_, sum_;
};

TEST_F(LaunchAllocations, AreCounted) {
  void* volatile seen = nullptr;  // the compiler may leave out what nobody sees
  EXPECT_EQ(allocations_each([&] {
              seen = std::malloc(1);
              std::free(seen);
            }),
            1);
  EXPECT_EQ(allocations_each([&] {
              int* const number = new int;
              seen = number;
              delete number;
            }),
            1);
}

TEST_F(LaunchAllocations, TheDeviceAllocatesNothing) {
  Program sum = program();
  const auto launch = launch_of(sum, impl_of(device_));
  device::Device& backend = *impl_of(device_).backend();
  EXPECT_EQ(allocations_each([&] { ASSERT_TRUE(backend.launch(launch).ok()); }), 0);
  expect_computed();
}

TEST_F(LaunchAllocations, AQueueAllocatesNothing) {
  Program sum = program();
  EXPECT_EQ(allocations_each([&] {
              EnqueueProgram(queue(), sum, /*blocking=*/false);
              Finish(queue());
            }),
            0);
  expect_computed();
}

TEST_F(LaunchAllocations, ATransferAllocatesNothing) {
  const std::vector<bfloat16> tiles = filled(5);
  std::vector<bfloat16> read(tiles.size());
  EXPECT_EQ(allocations_each([&] {
              EnqueueWriteBuffer(queue(), *a_, tiles.data(), /*blocking=*/true);
              EnqueueReadBuffer(queue(), *a_, read.data(), /*blocking=*/true);
            }),
            0);
  EXPECT_EQ(read, tiles);
}

TEST_F(LaunchAllocations, AReplayedTraceAllocatesNothing) {
  Program sum = program();
  EnqueueProgram(queue(), sum, /*blocking=*/true);
  const uint32_t trace = BeginTraceCapture(device_, 0);
  for (int i = 0; i < 3; ++i) EnqueueProgram(queue(), sum, /*blocking=*/false);
  EndTraceCapture(device_, 0, trace);
  EnqueueWriteBuffer(queue(), *sum_, filled(0), /*blocking=*/true);
  EXPECT_EQ(allocations_each([&] { ReplayTrace(device_, 0, trace, /*blocking=*/true); }), 0);
  expect_computed();
  ReleaseTrace(device_, trace);
}

}  // namespace
}  // namespace lightmetal::bench::allocation
