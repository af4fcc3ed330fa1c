#pragma once

#include "device/cpu/kernels/failure.h"
#include "device/cpu/kernels/kernel_run.h"
#include "device/cpu/kernels/kernel_stack.h"
#include "device/cpu/machine/compute_parts.h"
#include "device/cpu/machine/core_state.h"
#include "device/cpu/schedule/random_schedule.h"

namespace lightmetal::device::cpu {

// Begins a service that may wait. Inlined into the service, as calling_frame() must be.
inline __attribute__((always_inline)) KernelRun& enter_service(kernel_abi::Context* context) {
  KernelRun& run = run_of(context);
  require_stack(run);
  run.waits_at = calling_frame();
  return run;
}

constexpr uint32_t part_number(kernel_abi::Part part) { return static_cast<uint32_t>(part); }

// REQUIRES: the run is a part.
inline ComputeParts& parts_of(KernelRun& run) { return *run.core->parts; }

// Waits, as a part does. A random schedule may let others run first.
inline void wait_as_part(KernelRun& run, Wait wait) {
  if (run.schedule != nullptr) [[unlikely]]
    run.schedule->let_others_run(run);
  run.wait_for(wait);
}

}  // namespace lightmetal::device::cpu
