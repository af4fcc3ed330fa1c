#include "api/src/device_registry.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <set>
#include <tt-metalium/assert.hpp>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "api/src/device_impl.h"
#include "base/mutex.h"
#include "base/per_process.h"

namespace tt::tt_metal {
namespace {

// All devices ever opened; which of them are open, or about to be. Never destroyed: a program's
// last buffers go after it. A forked child has no device: its parent's work for the parent alone.
class Registry {
 public:
  static Registry& instance() {
    [[maybe_unused]] static const int registered = std::atexit(shut_down_all);
    return lightmetal::PerProcess<Registry>::get();
  }

  // Throws when a device of that id is open.
  void reserve(chip_id_t chip_id) {
    lightmetal::MutexLock lock(&mutex_);
    const bool reserved = taken_.insert(chip_id).second;
    TT_FATAL(
        reserved,
        "Device {} is open already, with other parameters or in a replay: close it before it is "
        "created again",
        chip_id);
  }
  void release(chip_id_t chip_id) {
    lightmetal::MutexLock lock(&mutex_);
    taken_.erase(chip_id);
  }
  void add(std::unique_ptr<DeviceImpl> device) {
    lightmetal::MutexLock lock(&mutex_);
    open_.push_back(device.get());
    devices_.push_back(std::move(device));
  }
  // False when it is not open.
  bool remove(IDevice* device) {
    lightmetal::MutexLock lock(&mutex_);
    return std::erase(open_, device) != 0;
  }
  std::vector<IDevice*> open() {
    lightmetal::MutexLock lock(&mutex_);
    return open_;
  }

 private:
  // What a program leaves open ends before the program's static objects do: queues write into
  // their memory.
  static void shut_down_all() {
    for (IDevice* device : open_devices()) impl_of(*device).shut_down().IgnoreError();
  }

  lightmetal::Mutex mutex_;
  std::set<chip_id_t> taken_ ABSL_GUARDED_BY(mutex_);
  std::vector<IDevice*> open_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<DeviceImpl>> devices_ ABSL_GUARDED_BY(mutex_);
};

void check(const DeviceParameters& parameters) {
  const lightmetal::DeviceProfile& profile = parameters.profile;
  TT_FATAL(parameters.chip_id >= 0 && static_cast<size_t>(parameters.chip_id) < kMaxDevices,
           "There is no device {}: ids go from 0 to {}", parameters.chip_id, kMaxDevices - 1);
  TT_FATAL(parameters.num_hw_cqs >= 1 && parameters.num_hw_cqs <= profile.max_command_queues,
           "num_hw_cqs is {}: a device has 1 to {} command queues", parameters.num_hw_cqs,
           profile.max_command_queues);
  TT_FATAL(parameters.l1_small_size <= profile.l1_size - profile.l1_unreserved_base,
           "l1_small_size is {} B: only {} B of a core's L1 are free", parameters.l1_small_size,
           profile.l1_size - profile.l1_unreserved_base);
  TT_FATAL(parameters.trace_region_size <= profile.dram_bank_size - profile.dram_unreserved_base,
           "trace_region_size is {} B: only {} B of a DRAM bank are free",
           parameters.trace_region_size, profile.dram_bank_size - profile.dram_unreserved_base);
}

}  // namespace

std::vector<IDevice*> open_devices() { return Registry::instance().open(); }

IDevice* open_device(DeviceParameters parameters) {
  check(parameters);
  const chip_id_t chip_id = parameters.chip_id;
  Registry& registry = Registry::instance();
  registry.reserve(chip_id);
  try {
    auto device = std::make_unique<DeviceImpl>(std::move(parameters));
    IDevice* opened = device.get();
    registry.add(std::move(device));
    return opened;
  } catch (...) {
    registry.release(chip_id);
    throw;
  }
}

bool withdraw_device(IDevice* device) { return Registry::instance().remove(device); }
void release_chip(chip_id_t chip_id) { Registry::instance().release(chip_id); }

}  // namespace tt::tt_metal
