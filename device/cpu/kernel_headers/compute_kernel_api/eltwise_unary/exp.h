#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// e^x. The approximating variants give it too; with scale_en, e^(scale x): the scale is that of the
// initialiser where it is used in the fast approximating variant, else the argument, a bfloat16.
namespace lightmetal::kernel {

inline uint32_t exp_scale = 0x3F800000;  // set by the initialiser; a float's bits

}  // namespace lightmetal::kernel

namespace ckernel {

template <bool approx = false, bool fast_and_approx = true, uint32_t scale = 0x3F800000,
          auto... modes>
ALWI void exp_tile_init() {
  lightmetal::kernel::exp_scale = scale;
}

template <bool approx = false, bool fast_and_approx = true, bool scale_en = false,
          bool skip_positive_check = false, int iterations = 8, auto... modes>
ALWI void exp_tile(uint32_t idst, int vector_mode = VectorMode::RC, uint16_t scale = 0x3F80) {
  const uint32_t vectors = lightmetal::kernel::vectors_of(vector_mode, iterations);
  if constexpr (scale_en) {
    const uint32_t factor = approx && fast_and_approx ? lightmetal::kernel::exp_scale
                                                      : static_cast<uint32_t>(scale) << 16;
    lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kScaledExp, idst, factor, 0, 0,
                                   vectors);
  } else {
    lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kExp, idst, 0, 0, 0, vectors);
  }
}

// The variant that a device runs on its packing processor.
template <bool approx = false, bool fast_and_approx = true, uint32_t scale = 0x3F800000,
          auto... modes>
ALWI void exp_packthread_tile_init() {
  exp_tile_init<approx, fast_and_approx, scale>();
}
template <bool approx = false, bool fast_and_approx = true, bool scale_en = false,
          bool skip_positive_check = false, int iterations = 8, auto... modes>
ALWI void exp_packthread_tile(uint32_t idst, int vector_mode = VectorMode::RC,
                              uint16_t scale = 0x3F80) {
  exp_tile<approx, fast_and_approx, scale_en, skip_positive_check, iterations>(idst, vector_mode,
                                                                               scale);
}

}  // namespace ckernel
