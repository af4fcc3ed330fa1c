#pragma once

#include "lightmetal_kernel_abi.h"

// Operations on tiles of DST alone, as the vector unit (SFPU) of a device does them.
namespace lightmetal::kernel_abi {

struct SfpuServices {
  // DST tile `dst` for a kernel that computes on it itself: 1024 words in the order of memory,
  // floats or, when `integers`, 32-bit integers from now on.
  void* (*dst_values)(Context*, uint32_t dst, uint32_t integers);
};

}  // namespace lightmetal::kernel_abi
