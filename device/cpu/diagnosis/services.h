#pragma once

#include "absl/status/status.h"
#include "device/cpu/kernels/kernel_run.h"
#include "device/kernel_abi/lightmetal_kernel_abi_diagnosis.h"

namespace lightmetal::device::cpu {

// The services that kernels call when they are checked (lightmetal_kernel_abi_diagnosis.h). They
// run on the fibers of kernels.
const kernel_abi::DiagnosisServices& diagnosis_services();

// To be called before a kernel starts whose Context::checks is not zero. `plan` must live until the
// launch has ended.
void begin_diagnosis(KernelRun& run, const LaunchPlan& plan);

// To be called when such a kernel has ended, on its worker's own stack. An error, ready for the
// launch, when the kernel has left a transfer without a barrier.
absl::Status end_diagnosis(KernelRun& run);

}  // namespace lightmetal::device::cpu
