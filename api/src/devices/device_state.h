#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tt-metalium/allocator.hpp>
#include <tt-metalium/span.hpp>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "api/src/devices/sub_devices.h"
#include "api/src/devices/touched_memory.h"
#include "api/src/objects/device_parameters.h"
#include "api/src/support/process_mark.h"
#include "base/mutex.h"
#include "device/device.h"
#include "host/placement.h"

namespace tt::tt_metal {

// A plan whose kernels are loaded on a device. Thread-safe: one thread may close the device while
// another launches.
class LoadedPlan {
 public:
  using Plan = std::shared_ptr<const lightmetal::device::LaunchPlan>;

  explicit LoadedPlan(Plan plan) : plan_(std::move(plan)) {}

  // Null once the device has closed.
  Plan get() const {
    lightmetal::MutexLock lock(&mutex_);
    return plan_;
  }
  void drop() {
    Plan dropped;  // ends behind the lock, and maybe its kernels with it
    lightmetal::MutexLock lock(&mutex_);
    plan_.swap(dropped);
  }

 private:
  mutable lightmetal::Mutex mutex_;
  Plan plan_ ABSL_GUARDED_BY(mutex_);
};

// What an open device is beneath its queues and the public interface (DeviceImpl): the backend, the
// memory, the sub-devices, and the programs that are loaded there. Closing the device ends these;
// the object stays, because buffers and programs may outlive the device. Thread-safe, but backend()
// and allocator() return references that end when the device closes, the allocator's not at the end
// of the process.
class DeviceState {
 public:
  DeviceState(const DeviceState&) = delete;
  DeviceState& operator=(const DeviceState&) = delete;

  uint64_t unique_id() const { return unique_id_; }
  const DeviceParameters& parameters() const { return parameters_; }
  const lightmetal::DeviceProfile& profile() const { return parameters_.profile; }
  bool is_open() const { return open_.load(std::memory_order_acquire); }
  // Throws when the device has been closed, and in a forked child. Every call that uses the device
  // asks this first.
  void check_open() const;
  // Throws in a forked child only.
  void check_process() const { process_.check(); }
  bool is_of_this_process() const { return process_.is_here(); }

  // For work in the queues, which end before the backend does. REQUIRES: the device is open, or the
  // queue that is given the backend refuses the work.
  const std::shared_ptr<lightmetal::device::Device>& backend() const { return backend_; }
  // A share of the backend, for all other use: another thread may close the device meanwhile, or
  // end the process. Throws when the device has been closed.
  std::shared_ptr<lightmetal::device::Device> share_backend() const;
  // The whole device's memory. Throws when the device has been closed.
  const std::shared_ptr<Allocator>& allocator() const;
  SubDevices& sub_devices() { return sub_devices_; }
  const SubDevices& sub_devices() const { return sub_devices_; }
  // The lowest L1 address that a buffer of those sub-devices, or of the device's own, occupies.
  std::optional<DeviceAddr> lowest_occupied_l1_address(
      tt::stl::Span<const SubDeviceId> sub_devices) const;
  TouchedMemory& touched_memory() { return touched_memory_; }

  // Loads a kernel (Device::load); `name` is for messages. What is returned keeps the backend
  // alive. Throws std::runtime_error.
  std::shared_ptr<lightmetal::device::LoadedKernel> load(
      const lightmetal::device::KernelObject& object, const std::string& name);
  // Keeps an eye on a plan: closing the device takes the plan away, with its kernels. The plan ends
  // with its last share.
  std::shared_ptr<LoadedPlan> add_plan(std::shared_ptr<const lightmetal::device::LaunchPlan> plan);

 protected:
  // Opens the backend. Throws std::runtime_error when that fails.
  explicit DeviceState(DeviceParameters parameters);
  ~DeviceState() = default;

  // The two steps of closing. begin_close(): nothing new begins. finish_close(): what is left goes,
  // the backend last. REQUIRES: queues and sub-devices have ended between the two.
  void begin_close() { open_.store(false, std::memory_order_release); }
  void finish_close();

 private:
  const ProcessMark process_;
  const DeviceParameters parameters_;
  const uint64_t unique_id_;
  std::shared_ptr<lightmetal::device::Device> backend_;
  std::shared_ptr<Allocator> allocator_;
  SubDevices sub_devices_;
  std::atomic<bool> open_ = true;
  TouchedMemory touched_memory_;

  mutable lightmetal::Mutex mutex_;
  std::vector<std::weak_ptr<LoadedPlan>> plans_ ABSL_GUARDED_BY(mutex_);
};

// The device as the rules of host/ see it, without its sub-devices. Valid as long as the device's
// state.
lightmetal::host::Target target_of(const DeviceState& device);

}  // namespace tt::tt_metal
