#pragma once

#include "device/cpu/kernels/kernel_run.h"
#include "device/cpu/machine/core_state.h"
#include "device/cpu/machine/machine.h"
#include "device/device.h"

namespace lightmetal::device::cpu {

// Writes the initial values of all semaphores, before any kernel starts: a core may increment
// another's at once.
void set_up_semaphores(Machine& machine, const LaunchPlan& plan);

// Makes a core ready for kernels. Its L1 keeps what it holds.
void set_up_core(CoreState& core);

// Fills a kernel's context and arguments, and starts it on its fiber. `run` has its core and
// worker. REQUIRES: a checked launch.
void set_up_kernel(Machine& machine, const Launch& launch, const CorePlan& plan,
                   const KernelOnCore& kernel, KernelRun& run);

}  // namespace lightmetal::device::cpu
