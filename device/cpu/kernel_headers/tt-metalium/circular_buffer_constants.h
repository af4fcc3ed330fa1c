#pragma once

#include "lightmetal_kernel_abi.h"

// Circular buffers of a core of the architecture that the kernel is compiled for.
#ifdef ARCH_BLACKHOLE
inline constexpr uint32_t NUM_CIRCULAR_BUFFERS = lightmetal::kernel_abi::kMaxCircularBuffers;
#else
inline constexpr uint32_t NUM_CIRCULAR_BUFFERS = lightmetal::kernel_abi::kFirstCircularBuffers;
#endif
// What the hardware's compute processors count addresses of circular buffers in; here all kernels
// count bytes.
inline constexpr uint32_t CIRCULAR_BUFFER_COMPUTE_WORD_SIZE = 16;
inline constexpr uint32_t CIRCULAR_BUFFER_COMPUTE_ADDR_SHIFT = 4;
