#pragma once

#include "compute_kernel_api/reg_api.h"

// DST whose zeroing another processor does on the hardware, as of late 2026; here releasing always
// zeroes it.
namespace ckernel {

template <auto... modes>
ALWI void tile_regs_acquire_math_clear() {
  tile_regs_acquire();
}
ALWI void tile_regs_release_math_clear() { tile_regs_release(); }

}  // namespace ckernel
