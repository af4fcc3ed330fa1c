#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <tt-logger/tt-logger.hpp>
#include <tt-metalium/command_queue.hpp>
#include <tt-metalium/device.hpp>
#include <tt-metalium/device_pool.hpp>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/llrt.hpp>
#include <tt-metalium/program.hpp>
#include <tt-metalium/tt_metal.hpp>
#include <vector>

#include "hostdevcommon/common_values.hpp"
#include "impl/context/metal_context.hpp"
#include "tt_metal/test_utils/env_vars.hpp"

namespace tt::tt_metal {

// Devices that are opened during the life of this object have slow dispatch, or fast dispatch.
class DispatchMode {
 public:
  explicit DispatchMode(bool slow) : was_slow_(std::getenv(kVariable) != nullptr) { set(slow); }
  ~DispatchMode() { set(was_slow_); }
  DispatchMode(const DispatchMode&) = delete;
  DispatchMode& operator=(const DispatchMode&) = delete;

 private:
  static constexpr char kVariable[] = "TT_METAL_SLOW_DISPATCH_MODE";
  static void set(bool slow) { slow ? setenv(kVariable, "1", 1) : unsetenv(kVariable); }

  const bool was_slow_;
};

// Devices for tests that run with fast or with slow dispatch, as the environment specifies. The CPU
// device has both. No fixture skips a test for its mode: the fixtures of tests that need one mode
// select it with DispatchMode.
class MeshDispatchFixture : public ::testing::Test {
 public:
  using Device = std::shared_ptr<distributed::MeshDevice>;

  void RunProgram(const Device& device, distributed::MeshWorkload& workload,
                  bool skip_finish = false) {
    distributed::EnqueueMeshWorkload(device->mesh_command_queue(), workload, false);
    if (!skip_finish) FinishCommands(device);
  }
  void FinishCommands(const Device& device) { distributed::Finish(device->mesh_command_queue()); }
  void WriteBuffer(const Device& device, const std::shared_ptr<distributed::MeshBuffer>& buffer,
                   std::vector<uint32_t>& words) {
    distributed::WriteShard(device->mesh_command_queue(), buffer, words,
                            distributed::MeshCoordinate(0, 0));
  }
  void ReadBuffer(const Device& device, const std::shared_ptr<distributed::MeshBuffer>& buffer,
                  std::vector<uint32_t>& words) {
    distributed::ReadShard(device->mesh_command_queue(), words, buffer,
                           distributed::MeshCoordinate(0, 0));
  }
  int NumDevices() { return static_cast<int>(devices_.size()); }
  bool IsSlowDispatch() { return slow_dispatch_; }

 protected:
  explicit MeshDispatchFixture(std::size_t l1_small_size = DEFAULT_L1_SMALL_SIZE,
                               std::size_t trace_region_size = DEFAULT_TRACE_REGION_SIZE)
      : l1_small_size_(l1_small_size), trace_region_size_(trace_region_size) {}

  void SetUp() override {
    DetectDispatchMode();
    open_devices(1);
  }
  void TearDown() override { close_devices(); }

  void DetectDispatchMode() {
    slow_dispatch_ = std::getenv("TT_METAL_SLOW_DISPATCH_MODE") != nullptr;
    arch_ = hal.get_arch();
  }
  bool validate_dispatch_mode() {
    DetectDispatchMode();
    return true;
  }

  void RunTestOnDevice(const std::function<void()>& function, const Device& /*device*/) {
    function();
  }

  // Opens the first `count` chips, or all if there are fewer. Each is a mesh of one device.
  void open_devices(std::size_t count, unsigned num_queues = 1) {
    open_devices(count, num_queues, trace_region_size_);
  }
  void open_devices(std::size_t count, unsigned num_queues, std::size_t trace_region_size) {
    std::vector<int> ids;
    for (std::size_t id = 0; id < std::min(count, GetNumAvailableDevices()); ++id) {
      ids.push_back(static_cast<int>(id));
    }
    for (const auto& [id, device] : distributed::MeshDevice::create_unit_meshes(
             ids, l1_small_size_, trace_region_size, num_queues)) {
      devices_.push_back(device);
    }
    num_devices_ = devices_.size();
  }
  void close_devices() {
    for (const Device& device : devices_) device->close();
    devices_.clear();
  }

  tt::ARCH arch_ = tt::ARCH::Invalid;
  std::vector<Device> devices_;
  std::size_t num_devices_ = 0;
  bool slow_dispatch_ = false;
  const std::size_t l1_small_size_;
  const std::size_t trace_region_size_;
  distributed::MeshCoordinate zero_coord_ = distributed::MeshCoordinate::zero_coordinate(2);
  distributed::MeshCoordinateRange device_range_ =
      distributed::MeshCoordinateRange(zero_coord_, zero_coord_);
};

}  // namespace tt::tt_metal
