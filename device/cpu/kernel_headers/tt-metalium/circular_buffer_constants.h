#pragma once

#include "lightmetal_kernel_abi.h"

inline constexpr uint32_t NUM_CIRCULAR_BUFFERS = lightmetal::kernel_abi::kMaxCircularBuffers;
// What the hardware's compute processors count addresses of circular buffers in; here all kernels
// count bytes.
inline constexpr uint32_t CIRCULAR_BUFFER_COMPUTE_WORD_SIZE = 16;
inline constexpr uint32_t CIRCULAR_BUFFER_COMPUTE_ADDR_SHIFT = 4;
