#pragma once

#include "compute_kernel_api/common_globals.h"

namespace ckernel {

template <bool is_32bit = false>
ALWI void transpose_wh_dest_init_short() {}

// A tile of DST, in place.
template <bool is_32bit = false>
ALWI void transpose_wh_dest(uint32_t idst) {
  lightmetal::kernel::tiles().transpose_dst(lightmetal::kernel::context(), idst);
}

// As of 2026.
template <bool is_32bit = false, bool transpose_of_faces = true>
ALWI void transpose_dest_init(uint32_t operand = 0) {}
template <bool is_32bit = false, bool transpose_of_faces = true>
ALWI void transpose_dest(uint32_t idst) {
  static_assert(transpose_of_faces, "refused: transpose_dest transposes whole tiles");
  transpose_wh_dest<is_32bit>(idst);
}

}  // namespace ckernel
