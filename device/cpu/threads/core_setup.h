#pragma once

#include "device/cpu/kernels/kernel_run.h"
#include "device/cpu/machine/core_state.h"
#include "device/cpu/machine/machine.h"
#include "device/device.h"

namespace lightmetal::device::cpu {

// Writes the initial values of all semaphores of a plan. To be called before any kernel of the
// launch starts, because a kernel may increment another core's semaphore at once. REQUIRES: a
// checked plan.
void set_up_semaphores(Machine& machine, const LaunchPlan& plan);

// Makes a core ready for the kernels of a launch. Its L1 keeps what it holds, but for the zeros
// that the system keeps there (kernel_abi::kZerosAddress), which are written anew.
void set_up_core(CoreState& core);

// Fills a kernel's context, writes its arguments to the core's L1, and gives its entry to the
// fiber: the kernel begins with the fiber's next resume(). `run` has its core, worker and part
// already. REQUIRES: a checked launch; the run's fiber is idle.
void set_up_kernel(Machine& machine, const Launch& launch, const CorePlan& plan,
                   const KernelOnCore& kernel, KernelRun& run);

}  // namespace lightmetal::device::cpu
