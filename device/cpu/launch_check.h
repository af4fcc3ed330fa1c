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

// Whether a launch can be run on a device: all indices, ranges and kernels are right. A plan is
// looked at once. Thread-safe.
class LaunchChecker {
 public:
  // `checks`: bits of kernel_abi::Check; what they do not make an error gets a warning.
  LaunchChecker(const DeviceProfile& profile, const KernelLoader& loader, uint32_t checks,
                Warnings& warnings)
      : profile_(profile), loader_(loader), checks_(checks), warnings_(warnings) {}

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
  Warnings& warnings_;
  Mutex mutex_;
  absl::flat_hash_set<uint64_t> good_plans_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace lightmetal::device::cpu
