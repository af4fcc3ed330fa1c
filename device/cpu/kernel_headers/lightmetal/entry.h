#pragma once

#include "lightmetal/kernel.h"
#include "lightmetal/pass.h"
#include "lightmetal_kernel_abi_diagnosis.h"

// Stands behind the kernel's text: the functions that a kernel object exports, and those that the
// rebase pass defines.

extern "C" {

// Defined by the pass.
uint64_t lightmetal_variables_size();
void lightmetal_init_variables();
void lightmetal_run_constructors();

extern const uint32_t lightmetal_kernel_version;
__attribute__((visibility("default"), used)) const uint32_t lightmetal_kernel_version =
    lightmetal::kernel_abi::kVersion;

}  // extern "C"

#ifdef NAMESPACE
namespace NAMESPACE {}
#endif

namespace lightmetal::kernel {

// kernel_main is the kernel's, at top level or in NAMESPACE.
FORCE_INLINE void run_kernel() {
#ifdef NAMESPACE
  using namespace NAMESPACE;
#endif
  kernel_main();
  settle_reservations();
}

// The headers' constants are those of a device.
FORCE_INLINE void check_alignments() {
  if (context()->dram_alignment != DRAM_ALIGNMENT || context()->l1_alignment != L1_ALIGNMENT) {
    fail("the kernel was compiled for a device with other memory alignments");
  }
}

// Double-buffered DST gives a kernel half of it, and 32-bit values take twice the room.
FORCE_INLINE void set_dst_tiles() {
#ifdef COMPILE_FOR_TRISC
  context()->dst_halves = DST_FULL_SYNC ? 1 : 2;
  context()->dst_tiles = kernel_abi::kDstTiles / (DST_FULL_SYNC ? 1 : 2) / (DST_ACCUM_MODE ? 2 : 1);
#endif
}

constexpr bool all_tiles_are_whole() {
  for (size_t i = 0; i < NUM_CIRCULAR_BUFFERS; ++i) {
    if (kTileRows[i] != 0 && kTileRows[i] * kTileColumns[i] != 32 * 32) return false;
  }
  return true;
}

// Tiles are 32x32 to the device until a kernel says otherwise.
FORCE_INLINE void set_tile_shapes() {
  if constexpr (!all_tiles_are_whole()) {
    for (uint32_t i = 0; i < NUM_CIRCULAR_BUFFERS; ++i) {
      const uint32_t rows = kTileRows[i], columns = kTileColumns[i];
      if (rows == 0 || rows * columns == 32 * 32) continue;
      auto& cb = kernel_abi::circular_buffer_at(*context(), i);
      cb.tile_shape = rows | columns << 16;
      cb.tile_bytes = format_bytes(static_cast<DataFormat>(cb.format), rows * columns);
    }
  }
}

}  // namespace lightmetal::kernel

extern "C" __attribute__((visibility("default"), used)) void lightmetal_kernel_entry() {
  lightmetal::kernel::check_alignments();
  lightmetal::kernel::set_dst_tiles();
  lightmetal::kernel::set_tile_shapes();
  auto* hooks = static_cast<lightmetal::kernel::Hooks*>(__builtin_alloca_with_align(
      sizeof(lightmetal::kernel::Hooks) + lightmetal_variables_size(), 512));
  *hooks = {};
  lightmetal::kernel::context()->variables = hooks + 1;
  lightmetal::kernel::keep_stores();
  lightmetal_init_variables();
  lightmetal_run_constructors();
  lightmetal::kernel::run_kernel();
}
