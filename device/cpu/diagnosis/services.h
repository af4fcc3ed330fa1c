#pragma once

#include "absl/status/status.h"
#include "device/cpu/kernels/kernel_run.h"
#include "device/kernel_abi/lightmetal_kernel_abi_diagnosis.h"

namespace lightmetal::device::cpu {

// What kernels call when they are checked.
const kernel_abi::DiagnosisServices& diagnosis_services();

// Before a kernel starts whose Context::checks is not zero.
void begin_diagnosis(KernelRun& run, const LaunchPlan& plan);

// After it has ended: an error when it has left something open.
absl::Status end_diagnosis(KernelRun& run);

}  // namespace lightmetal::device::cpu
