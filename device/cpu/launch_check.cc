#include "device/cpu/launch_check.h"

#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status.h"
#include "device/bounds.h"
#include "device/cpu/diagnosis/checks.h"
#include "device/cpu/kernels/kernel_run.h"
#include "device/kernel_abi/lightmetal_kernel_abi.h"

namespace lightmetal::device::cpu {
namespace {

std::string name_of(const CorePlan& core) {
  return absl::StrFormat("%s (%d,%d)", kind_name(core.kind), core.core.x, core.core.y);
}

// The arguments differ from launch to launch, so they are checked each time. The sums are of 64
// bits, where they cannot overflow.
absl::Status check_args(const Launch& launch, const CorePlan& core, const KernelOnCore& kernel) {
  const uint64_t words = launch.args.size();
  const bool inside = uint64_t{kernel.args_begin} + kernel.args_count <= words &&
                      uint64_t{kernel.common_begin} + kernel.common_count <= words;
  if (inside) return absl::OkStatus();
  return absl::OutOfRangeError(absl::StrCat(name_of(core), ": the arguments of kernel ",
                                            launch.plan->kernels[kernel.kernel].name,
                                            " end outside the launch's ", words, " words"));
}

absl::Status check_processors(const LaunchPlan& plan, const CorePlan& core) {
  std::set<Processor> used;
  for (const KernelOnCore& kernel : core.kernels) {
    if (kernel.kernel >= plan.kernels.size()) {
      return absl::OutOfRangeError(absl::StrCat(name_of(core), ": kernel ", kernel.kernel, " of ",
                                                plan.kernels.size(), " does not exist"));
    }
    const Processor processor = plan.kernels[kernel.kernel].processor;
    const bool for_ethernet = processor == Processor::kEthernet;
    if (for_ethernet != (core.kind == CoreKind::kEthernet)) {
      return absl::InvalidArgumentError(absl::StrCat(name_of(core), " has no processor ",
                                                     processor_name(processor), " for kernel ",
                                                     plan.kernels[kernel.kernel].name));
    }
    if (used.insert(processor).second) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(name_of(core), ": two kernels are for ", processor_name(processor)));
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
      // A plan that is forgotten is checked once more; ids are never used again.
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
  std::set<std::pair<CoreKind, Core>> seen;
  for (const CorePlan& core : plan.cores) {
    LM_RETURN_IF_ERROR(check_core(plan, core));
    if (!seen.insert({core.kind, core.core}).second) {
      return absl::InvalidArgumentError(absl::StrCat(name_of(core), " is in the plan twice"));
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
  if (splits_ && kernel.processor == Processor::kCompute &&
      loaded->part(kernel_abi::Part::kMath) == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat(
        "kernel ", kernel.name,
        " was compiled without parts, so that the schedule cannot split "
        "it: its unpack, math and pack run as one processor. A device that is opened with the "
        "schedule \"split\" compiles parts; a file has them if its capture had that schedule "
        "(LIGHTMETAL_CPU_DEVICE_SCHEDULE)"));
  }
  if (kernel.processor <= Processor::kEthernet) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("kernel ", kernel.name, " is for processor ",
                                                 processor_name(kernel.processor),
                                                 ", which the CPU device does not have"));
}

// An empty range at address 0 lies in every core's L1, so the check says whether the core exists.
absl::Status LaunchChecker::check_place(const CorePlan& core) const {
  if (core.kind == CoreKind::kWorker) return check_l1_range(profile_, core.core, 0, 0);
  LM_RETURN_IF_ERROR(check_ethernet_l1_range(profile_, core.core, 0, 0));
  if (core.circular_buffers.empty() && core.remote_circular_buffers.empty())
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name_of(core), " cannot have circular buffers: only worker cores do"));
}

absl::Status LaunchChecker::check_core(const LaunchPlan& plan, const CorePlan& core) const {
  LM_RETURN_IF_ERROR(check_place(core));
  LM_RETURN_IF_ERROR(check_processors(plan, core));
  for (const KernelOnCore& kernel : core.kernels) {
    const uint64_t words = uint64_t{kernel.args_count} + kernel.common_count;
    if (words <= profile_.max_runtime_args) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(name_of(core), ": kernel ", plan.kernels[kernel.kernel].name, " has ", words,
                     " arguments; at most ", profile_.max_runtime_args, " fit"));
  }
  for (const SemaphorePlan& semaphore : core.semaphores) {
    if (semaphore.id < profile_.num_semaphores) continue;
    return absl::OutOfRangeError(absl::StrCat(name_of(core), ": semaphore ", semaphore.id,
                                              " does not exist; a core has ",
                                              profile_.num_semaphores));
  }
  std::set<uint32_t> seen;
  for (const CircularBufferPlan& buffer : core.circular_buffers) {
    LM_RETURN_IF_ERROR(check_circular_buffer(core, buffer));
    if (seen.insert(buffer.index).second) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(name_of(core), ": circular buffer ", buffer.index, " is there twice"));
  }
  for (const RemoteCircularBufferPlan& buffer : core.remote_circular_buffers) {
    LM_RETURN_IF_ERROR(check_remote_circular_buffer(core, buffer));
    if (seen.insert(buffer.index).second) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(name_of(core), ": circular buffer ", buffer.index, " is there twice"));
  }
  return absl::OkStatus();
}

absl::Status LaunchChecker::check_remote_circular_buffer(
    const CorePlan& core, const RemoteCircularBufferPlan& buffer) const {
  const std::string name = absl::StrCat(name_of(core), ": remote circular buffer ", buffer.index);
  if (buffer.index >= profile_.num_circular_buffers) {
    return absl::OutOfRangeError(
        absl::StrCat(name, " does not exist; a core has ", profile_.num_circular_buffers));
  }
  if (buffer.config_address == 0 || buffer.config_address % 4 != 0 || buffer.page_size == 0) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": its configuration at address ",
                                                   buffer.config_address, " with pages of ",
                                                   buffer.page_size, " bytes is none"));
  }
  return check_l1_range(profile_, core.core, buffer.config_address,
                        kernel_abi::kRemoteConfigWords * sizeof(uint32_t));
}

// Pages that are no multiple of a word are tolerated unless the check of circular buffers is on.
// The warning comes once for each circular buffer index and page size.
absl::Status LaunchChecker::check_page_size(const CorePlan& core,
                                            const CircularBufferPlan& buffer) const {
  constexpr uint32_t kWord = 4;
  if (buffer.page_size % kWord == 0) return absl::OkStatus();
  const std::string what = absl::StrCat("circular buffer ", buffer.index, ": its pages of ",
                                        buffer.page_size, " bytes are no multiple of ", kWord);
  if ((checks_ & kernel_abi::kCheckCircularBuffers) != 0)
    return absl::InvalidArgumentError(absl::StrCat(name_of(core), ": ", what));
  const std::string text = absl::StrCat(what, ", and hardware's compute kernels count in 16 bytes");
  if (warnings_.is_new(text))
    warnings_.show(text, check_name(kernel_abi::kCheckCircularBuffers), /*place=*/"");
  return absl::OkStatus();
}

absl::Status LaunchChecker::check_circular_buffer(const CorePlan& core,
                                                  const CircularBufferPlan& buffer) const {
  const std::string name = absl::StrCat(name_of(core), ": circular buffer ", buffer.index);
  if (buffer.index >= profile_.num_circular_buffers) {
    return absl::OutOfRangeError(
        absl::StrCat(name, " does not exist; a core has ", profile_.num_circular_buffers));
  }
  if (buffer.page_size == 0 || buffer.size == 0 || buffer.size % buffer.page_size != 0) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": its ", buffer.size,
                                                   " bytes are not a number of pages of ",
                                                   buffer.page_size, " bytes"));
  }
  LM_RETURN_IF_ERROR(check_page_size(core, buffer));
  absl::Status range = check_l1_range(profile_, core.core, buffer.address, buffer.size);
  return range.ok() ? range : absl::Status(range.code(), absl::StrCat(name, ": ", range.message()));
}

}  // namespace lightmetal::device::cpu
