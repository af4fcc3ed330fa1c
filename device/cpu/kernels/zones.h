#pragma once

#include "absl/strings/string_view.h"
#include "device/cpu/kernels/kernel_run.h"

namespace lightmetal::device::cpu {

// Note that a kernel on a chip enters or leaves a profiler zone: one of its own, or the one that
// all of it is (base/zone_marks.h). REQUIRES: the machine marks zones.
void mark_zone(const KernelRun& run, int chip, absl::string_view zone, bool begins);
void mark_whole_kernel(const KernelRun& run, int chip, bool begins);

}  // namespace lightmetal::device::cpu
