#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <tt-metalium/allocator.hpp>
#include <tt-metalium/core_coord.hpp>
#include <tt-metalium/span.hpp>
#include <tt-metalium/sub_device.hpp>
#include <tt-metalium/sub_device_types.hpp>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "api/src/work/queue_worker.h"
#include "base/device_profile.h"
#include "base/mutex.h"
#include "host/core_set.h"

namespace tt::tt_metal {

// The threads that give launches to the lanes of the device, one for each sub-device that is loaded
// and by its number. Launches on a sub-device go through its worker, one after the other, while
// those of other sub-devices run. Each load of a manager makes new workers, whose tickets count
// from 0. A launch that another thread gives while a manager is being loaded keeps the workers of
// the manager before.
using SubDeviceWorkers = std::vector<std::unique_ptr<QueueWorker>>;

// One way to divide a device into sub-devices, which IDevice::create_sub_device_manager() makes.
// Immutable but for its allocators.
struct SubDeviceManager {
  // Checks that the sub-devices lie in the grid and do not overlap; throws std::runtime_error.
  SubDeviceManager(tt::stl::Span<const SubDevice> its_sub_devices, DeviceAddr its_local_l1_size,
                   const Allocator& device_allocator, lightmetal::Core grid);

  // The sub-device of that number. Throws std::runtime_error, which names the numbers, when there
  // is none.
  const SubDevice& sub_device(SubDeviceId id) const;
  // The memory that the sub-device has for itself. Throws as well when sub-devices have none.
  const std::shared_ptr<Allocator>& allocator(SubDeviceId id) const;
  bool has_allocators() const { return !allocators.empty(); }
  // The lowest L1 address that a buffer in the own memory of any of these sub-devices occupies;
  // none without such a buffer.
  std::optional<DeviceAddr> lowest_occupied(tt::stl::Span<const SubDeviceId> of) const;

  const SubDeviceManagerId id;  // unique in the process
  const std::vector<SubDevice> sub_devices;
  const std::vector<SubDeviceId> sub_device_ids;
  const std::vector<lightmetal::host::CoreSet> core_sets;  // by sub-device
  const DeviceAddr local_l1_size;
  std::vector<std::shared_ptr<Allocator>> allocators;  // by sub-device; empty without local memory
};

// The ways in which a device can be divided, and the one that is loaded: at first the default one,
// whose only sub-device is the whole grid. Thread-safe, but references that it returns are valid
// until another manager is loaded.
class SubDevices {
 public:
  // `allocator` is the whole device's; not used after stop().
  SubDevices(const lightmetal::DeviceProfile& profile, Allocator& allocator);

  SubDeviceManagerId create(tt::stl::Span<const SubDevice> sub_devices, DeviceAddr local_l1_size);
  // These throw when there is no such manager, when the manager is loaded (remove), and when a
  // buffer lies in the memory of a sub-device (load). REQUIRES (load): nothing runs on the device.
  void remove(SubDeviceManagerId id);
  void load(SubDeviceManagerId id);
  // These throw what the two above would throw before they change anything.
  void check_can_remove(SubDeviceManagerId id) const;
  void check_can_load(SubDeviceManagerId id) const;

  std::shared_ptr<SubDeviceManager> loaded() const;
  // The workers of the loaded manager. The default manager has none: its launches have the whole
  // device.
  std::shared_ptr<const SubDeviceWorkers> workers() const;
  // All but the default one, in the order of their creation.
  std::vector<std::shared_ptr<SubDeviceManager>> managers() const;
  // The id of the loaded manager, without a lock.
  uint64_t loaded_id() const { return loaded_id_.load(std::memory_order_acquire); }
  SubDeviceManagerId default_id() const { return default_->id; }
  // True when another manager than the default one is loaded.
  bool is_divided() const { return loaded_id() != *default_->id; }

  // Throws when the loaded manager has no sub-device of one of these numbers.
  void check(tt::stl::Span<const SubDeviceId> ids) const;

  // The stall group: the sub-devices whose programs a call waits for when it names none. It is all
  // sub-devices until it is set, and again whenever a manager is loaded. REQUIRES: no other thread
  // changes it while the reference is used.
  const std::vector<SubDeviceId>& stall_group() const ABSL_NO_THREAD_SAFETY_ANALYSIS {
    return stall_group_;
  }
  std::vector<SubDeviceId> copy_of_stall_group() const;
  void set_stall_group(tt::stl::Span<const SubDeviceId> ids);
  void reset_stall_group();

  // Ends the workers and the memory of the sub-devices. Returns the first error of a launch that
  // nobody has seen.
  absl::Status stop();

 private:
  const std::shared_ptr<SubDeviceManager>& find(SubDeviceManagerId id) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void make_loaded(std::shared_ptr<SubDeviceManager> manager) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const lightmetal::Core grid_;
  Allocator* const allocator_;
  const std::shared_ptr<SubDeviceManager> default_;
  std::atomic<uint64_t> loaded_id_;

  mutable lightmetal::Mutex mutex_;
  std::map<uint64_t, std::shared_ptr<SubDeviceManager>> managers_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<SubDeviceManager> loaded_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<const SubDeviceWorkers> workers_ ABSL_GUARDED_BY(mutex_);
  std::vector<SubDeviceId> stall_group_ ABSL_GUARDED_BY(mutex_);
};

// Waits for what has been launched on the sub-devices, up to those tickets of their workers, and
// returns the first error, which it takes.
absl::Status wait_for_workers(const SubDeviceWorkers& workers,
                              tt::stl::Span<const SubDeviceId> sub_devices,
                              tt::stl::Span<const uint64_t> tickets);

}  // namespace tt::tt_metal
