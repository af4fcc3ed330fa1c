#include "api/src/devices/device_registry.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <set>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "api/src/devices/device_impl.h"
#include "api/src/support/errors.h"
#include "api/src/support/process_end.h"
#include "base/mutex.h"
#include "base/per_process.h"
#include "host/device.h"

namespace tt::tt_metal {
namespace {

// All devices that were ever opened, which of them are open, and which chips are taken. Never
// destroyed, because a program's last buffers go after it. A forked child begins with an empty
// registry: the devices of its parent work for the parent alone.
class Registry {
 public:
  static Registry& instance() {
    [[maybe_unused]] static const int registered = std::atexit(shut_down_all);
    return lightmetal::PerProcess<Registry>::get();
  }

  // Takes the chip before the device is opened, so that two threads cannot open it twice. Throws
  // when it is taken.
  void reserve(chip_id_t chip_id) {
    lightmetal::MutexLock lock(&mutex_);
    throw_if_error(lightmetal::host::check_chip_is_free(chip_id, taken_.insert(chip_id).second));
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
  // Returns false when the device is not open.
  bool remove(IDevice* device) {
    lightmetal::MutexLock lock(&mutex_);
    return std::erase(open_, device) != 0;
  }
  std::vector<IDevice*> open() {
    lightmetal::MutexLock lock(&mutex_);
    return open_;
  }

 private:
  // At exit: devices that the program has left open are shut down before the program's static
  // objects are destroyed, because queues write into the memory of those. Other threads may be in
  // calls: what they use stays, and none of them gets an error from now on.
  static void shut_down_all() {
    begin_process_end();
    for (IDevice* device : open_devices()) impl_of(*device).shut_down().IgnoreError();
  }

  lightmetal::Mutex mutex_;
  std::set<chip_id_t> taken_ ABSL_GUARDED_BY(mutex_);
  std::vector<IDevice*> open_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<DeviceImpl>> devices_ ABSL_GUARDED_BY(mutex_);
};

void check(const DeviceParameters& parameters) {
  throw_if_error(
      lightmetal::host::check_request({.chip_id = parameters.chip_id,
                                       .num_queues = parameters.num_hw_cqs,
                                       .l1_small_size = parameters.l1_small_size,
                                       .trace_region_size = parameters.trace_region_size},
                                      parameters.profile));
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
