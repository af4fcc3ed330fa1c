#pragma once

#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "base/device_profile.h"
#include "base/mutex.h"
#include "device/cpu/kernels/kernel_loader.h"
#include "device/cpu/machine/warnings.h"
#include "device/device.h"

namespace lightmetal::device::cpu {

// Decides whether a launch can run on a device: all its indices, ranges and kernels must be right.
// Behind this check the scheduler and the services trust the plan. A plan is checked when its first
// launch comes, and remembered by its id; arguments are checked for each launch. Thread-safe.
class LaunchChecker {
 public:
  // All references outlive the checker. `checks` are bits of kernel_abi::Check: a circular buffer
  // with pages of a size that hardware would not take is an error where they say so, and otherwise
  // a warning on the standard error. `splits`: compute kernels run in parts, which their objects
  // must hold.
  LaunchChecker(const DeviceProfile& profile, const KernelLoader& loader, uint32_t checks,
                bool splits, Warnings& warnings)
      : profile_(profile), loader_(loader), checks_(checks), splits_(splits), warnings_(warnings) {}

  // OutOfRange, InvalidArgument or FailedPrecondition as device::Device::launch says. The error
  // names the core, and the kernel or the circular buffer.
  absl::Status check(const Launch& launch);

 private:
  absl::Status check_plan(const LaunchPlan& plan) const;
  absl::Status check_kernel(const KernelPlan& kernel) const;
  absl::Status check_place(const CorePlan& core) const;
  absl::Status check_core(const LaunchPlan& plan, const CorePlan& core) const;
  absl::Status check_remote_circular_buffer(const CorePlan& core,
                                            const RemoteCircularBufferPlan& buffer) const;
  absl::Status check_circular_buffer(const CorePlan& core, const CircularBufferPlan& buffer) const;
  absl::Status check_page_size(const CorePlan& core, const CircularBufferPlan& buffer) const;

  const DeviceProfile& profile_;
  const KernelLoader& loader_;
  const uint32_t checks_;
  const bool splits_;
  Warnings& warnings_;
  Mutex mutex_;
  absl::flat_hash_set<uint64_t> good_plans_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace lightmetal::device::cpu
