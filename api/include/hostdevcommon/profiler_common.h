#pragma once

#include <cstdint>

// Sizes of the device profiler, by which programs choose how much to launch. Kernels are not
// profiled here.
#define PROFILER_OPT_DO_DISPATCH_CORES 2

namespace kernel_profiler {

inline constexpr uint32_t PROFILER_L1_MARKER_UINT32_SIZE = 2;
inline constexpr uint32_t PROFILER_L1_PROGRAM_ID_COUNT = 2;
inline constexpr uint32_t PROFILER_L1_GUARANTEED_MARKER_COUNT = 4;
inline constexpr uint32_t PROFILER_L1_OPTIONAL_MARKER_COUNT = 250;
inline constexpr uint32_t PROFILER_L1_OP_MIN_OPTIONAL_MARKER_COUNT = 2;

}  // namespace kernel_profiler

inline constexpr uint32_t PROFILER_OP_SUPPORT_COUNT = 1000;
