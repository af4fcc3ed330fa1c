#include "device/cpu/launch_check.h"

#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status.h"
#include "device/bounds.h"
#include "device/cpu/core_state.h"
#include "device/cpu/kernel_headers/lightmetal_kernel_abi.h"

namespace lightmetal::device::cpu {
namespace {

std::string name_of(Core core) { return absl::StrFormat("core (%d,%d)", core.x, core.y); }

// The arguments can differ from launch to launch, so they are looked at each time.
absl::Status check_args(const Launch& launch, const CorePlan& core, const KernelOnCore& kernel) {
  const uint64_t words = launch.args.size();
  const bool inside = uint64_t{kernel.args_begin} + kernel.args_count <= words &&
                      uint64_t{kernel.common_begin} + kernel.common_count <= words;
  if (inside) return absl::OkStatus();
  return absl::OutOfRangeError(absl::StrCat(name_of(core.core), ": the arguments of kernel ",
                                            launch.plan->kernels[kernel.kernel].name,
                                            " end outside the launch's ", words, " words"));
}

absl::Status check_processors(const LaunchPlan& plan, const CorePlan& core) {
  std::set<Processor> used;
  for (const KernelOnCore& kernel : core.kernels) {
    if (kernel.kernel >= plan.kernels.size()) {
      return absl::OutOfRangeError(absl::StrCat(name_of(core.core), ": kernel ", kernel.kernel,
                                                " of ", plan.kernels.size(), " does not exist"));
    }
    const Processor processor = plan.kernels[kernel.kernel].processor;
    if (used.insert(processor).second) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(name_of(core.core), ": two kernels are for ", processor_name(processor)));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status LaunchChecker::check(const Launch& launch) {
  constexpr size_t kMostRemembered = 1024;
  if (launch.plan == nullptr) return absl::InvalidArgumentError("the launch has no plan");
  {
    MutexLock lock(&mutex_);
    if (!good_plans_.contains(launch.plan->id)) {
      LM_RETURN_IF_ERROR(check_plan(*launch.plan));
      if (good_plans_.size() >= kMostRemembered) good_plans_.clear();
      good_plans_.insert(launch.plan->id);
    }
  }
  for (const CorePlan& core : launch.plan->cores) {
    for (const KernelOnCore& kernel : core.kernels)
      LM_RETURN_IF_ERROR(check_args(launch, core, kernel));
  }
  return absl::OkStatus();
}

absl::Status LaunchChecker::check_plan(const LaunchPlan& plan) const {
  for (const KernelPlan& kernel : plan.kernels) LM_RETURN_IF_ERROR(check_kernel(kernel));
  std::set<Core> seen;
  for (const CorePlan& core : plan.cores) {
    LM_RETURN_IF_ERROR(check_core(plan, core));
    if (!seen.insert(core.core).second) {
      return absl::InvalidArgumentError(absl::StrCat(name_of(core.core), " is in the plan twice"));
    }
  }
  return absl::OkStatus();
}

absl::Status LaunchChecker::check_kernel(const KernelPlan& kernel) const {
  const auto* loaded = dynamic_cast<const CpuKernel*>(kernel.kernel.get());
  if (loaded == nullptr || !loader_.owns(*loaded)) {
    return absl::FailedPreconditionError(
        absl::StrCat("kernel ", kernel.name, " is not loaded on this device"));
  }
  if (static_cast<uint32_t>(kernel.processor) < kProcessors) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("kernel ", kernel.name, " is for processor ",
                                                 processor_name(kernel.processor),
                                                 ", which the CPU device does not have"));
}

absl::Status LaunchChecker::check_core(const LaunchPlan& plan, const CorePlan& core) const {
  LM_RETURN_IF_ERROR(check_l1_range(profile_, core.core, 0, 0));
  LM_RETURN_IF_ERROR(check_processors(plan, core));
  for (const KernelOnCore& kernel : core.kernels) {
    const uint64_t words = uint64_t{kernel.args_count} + kernel.common_count;
    if (words <= profile_.max_runtime_args) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(name_of(core.core), ": kernel ", plan.kernels[kernel.kernel].name, " has ",
                     words, " arguments; at most ", profile_.max_runtime_args, " fit"));
  }
  for (const SemaphorePlan& semaphore : core.semaphores) {
    if (semaphore.id < profile_.num_semaphores) continue;
    return absl::OutOfRangeError(absl::StrCat(name_of(core.core), ": semaphore ", semaphore.id,
                                              " does not exist; a core has ",
                                              profile_.num_semaphores));
  }
  std::set<uint32_t> seen;
  for (const CircularBufferPlan& buffer : core.circular_buffers) {
    LM_RETURN_IF_ERROR(check_circular_buffer(core, buffer));
    if (seen.insert(buffer.index).second) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(name_of(core.core), ": circular buffer ", buffer.index, " is there twice"));
  }
  return absl::OkStatus();
}

absl::Status LaunchChecker::check_circular_buffer(const CorePlan& core,
                                                  const CircularBufferPlan& buffer) const {
  const std::string name = absl::StrCat(name_of(core.core), ": circular buffer ", buffer.index);
  if (buffer.index >= profile_.num_circular_buffers) {
    return absl::OutOfRangeError(
        absl::StrCat(name, " does not exist; a core has ", profile_.num_circular_buffers));
  }
  if (buffer.page_size == 0 || buffer.size == 0 || buffer.size % buffer.page_size != 0) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": its ", buffer.size,
                                                   " bytes are not a number of pages of ",
                                                   buffer.page_size, " bytes"));
  }
  absl::Status range = check_l1_range(profile_, core.core, buffer.address, buffer.size);
  return range.ok() ? range : absl::Status(range.code(), absl::StrCat(name, ": ", range.message()));
}

}  // namespace lightmetal::device::cpu
