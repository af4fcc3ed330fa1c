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

namespace lightmetal::bench {
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
}

TEST_F(LaunchAllocations, AQueueAllocatesNothing) {
  Program sum = program();
  EXPECT_EQ(allocations_each([&] {
              EnqueueProgram(queue(), sum, /*blocking=*/false);
              Finish(queue());
            }),
            0);
}

TEST_F(LaunchAllocations, ATransferAllocatesNothing) {
  std::vector<bfloat16> tiles(kTiles * 1024);
  EXPECT_EQ(allocations_each([&] {
              EnqueueWriteBuffer(queue(), *a_, tiles.data(), /*blocking=*/true);
              EnqueueReadBuffer(queue(), *a_, tiles.data(), /*blocking=*/true);
            }),
            0);
}

TEST_F(LaunchAllocations, AReplayedTraceAllocatesNothing) {
  Program sum = program();
  EnqueueProgram(queue(), sum, /*blocking=*/true);
  const uint32_t trace = BeginTraceCapture(device_, 0);
  for (int i = 0; i < 3; ++i) EnqueueProgram(queue(), sum, /*blocking=*/false);
  EndTraceCapture(device_, 0, trace);
  EXPECT_EQ(allocations_each([&] { ReplayTrace(device_, 0, trace, /*blocking=*/true); }), 0);
  ReleaseTrace(device_, trace);
}

}  // namespace
}  // namespace lightmetal::bench
