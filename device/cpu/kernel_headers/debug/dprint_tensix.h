#pragma once

#include "debug/dprint.h"
#include "lightmetal/parts.h"

#ifdef COMPILE_FOR_TRISC

// Prints, of a kernel in parts for the one that does the math, a tile of DST, row by row or, by
// face, the rows of one face after the other.
template <bool print_by_face = false>
inline void dprint_tensix_dest_reg(int tile_id = 0) {
  if constexpr (!lightmetal::kernel::kDoesMath) return;
  constexpr uint32_t kFace = 16;
  const auto* context = lightmetal::kernel::context();
  const float* tile = context->dst + (context->dst_first + static_cast<uint32_t>(tile_id)) *
                                         lightmetal::kernel_abi::kTileElements;
  DPRINT << "Tile ID = " << tile_id << ENDL();
  for (uint32_t line = 0; line < 4 * kFace; ++line) {
    // Where the faces stand beside each other, two lines of 16 are one row.
    const uint32_t face = print_by_face ? line / kFace : line / (2 * kFace) * 2 + line % 2;
    const uint32_t row = print_by_face ? line % kFace : line / 2 % kFace;
    for (uint32_t i = 0; i < kFace; ++i) {
      DPRINT << SETW(8) << tile[face * kFace * kFace + row * kFace + i] << ' ';
    }
    if (print_by_face || line % 2 == 1) DPRINT << ENDL();
  }
}

#endif
