#pragma once

#include <limits>
#include <utility>

#include "mesh_dispatch_fixture.hpp"

namespace tt::tt_metal {

// Devices with slow dispatch, which all fixtures of this header have.
class MeshDeviceFixture : public MeshDispatchFixture {
 public:
  // The smallest number of columns and of rows of the devices' grids.
  std::pair<unsigned, unsigned> worker_grid_minimum_dims() {
    constexpr std::size_t kMost = std::numeric_limits<unsigned>::max();
    std::pair<std::size_t, std::size_t> least(kMost, kMost);
    for (const Device& device : devices_) {
      const CoreCoord grid = device->compute_with_storage_grid_size();
      least = {std::min(least.first, grid.x), std::min(least.second, grid.y)};
    }
    return least;
  }

 protected:
  using MeshDispatchFixture::MeshDispatchFixture;

 private:
  DispatchMode mode_{/*slow=*/true};
};

class MeshDeviceSingleCardFixture : public MeshDispatchFixture {
 private:
  DispatchMode mode_{/*slow=*/true};
};

class MeshDeviceSingleCardBufferFixture : public MeshDeviceSingleCardFixture {};

class BlackholeSingleCardFixture : public MeshDeviceSingleCardFixture {
 protected:
  void SetUp() override {
    DetectDispatchMode();
    if (arch_ != tt::ARCH::BLACKHOLE) GTEST_SKIP() << "The device is not Blackhole's";
    open_devices(1);
  }
};

}  // namespace tt::tt_metal
