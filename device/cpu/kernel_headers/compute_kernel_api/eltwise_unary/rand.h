#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

namespace lightmetal::kernel {

inline uint64_t rand_state = 0;

}  // namespace lightmetal::kernel

// Uniform in [from, from + scale), both floats' bits. The numbers depend on the seed only, so a
// core's results are the same in every run.
namespace ckernel {

// A stream, as of 2026, makes another seed of one.
ALWI void rand_tile_init(uint32_t seed = 0, uint32_t stream_id = 0) {
  lightmetal::kernel::rand_state = uint64_t{stream_id} << 32 | seed;
}
ALWI void init_prng_seed(uint32_t seed) { rand_tile_init(seed); }
ALWI void rand_tile(uint32_t idst, uint32_t from, uint32_t scale) {
  lightmetal::kernel::sfpu().random(lightmetal::kernel::context(), idst,
                                    &lightmetal::kernel::rand_state, from, scale);
}

}  // namespace ckernel
