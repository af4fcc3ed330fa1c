#pragma once

#include "lightmetal/args.h"
#include "lightmetal/circular_buffers.h"
#include "lightmetal/kernel.h"

// What every header of the compute API starts from. On a device three processors run a compute
// kernel: one unpacks, one does the maths, one packs. Here one kernel does all three, so what is
// meant for one of them is simply done.

#define MATH(x) x
#define PACK(x) x
#define UNPACK(x) x

namespace lightmetal::kernel {

using kernel_abi::BinaryOp;
using kernel_abi::DestReuse;
using kernel_abi::UnaryOp;

// Set by the initialisers of binary operations: whether they add to DST.
inline bool accumulate_to_dst = false;

FORCE_INLINE void unary_tile(UnaryOp op, uint32_t dst, uint32_t param0 = 0, uint32_t param1 = 0) {
  context()->services->unary_tile(context(), op, dst, param0, param1);
}

FORCE_INLINE void binary_tiles(BinaryOp op, uint32_t cb_a, uint32_t cb_b, uint32_t tile_a,
                               uint32_t tile_b, uint32_t dst) {
  context()->services->binary_tiles(context(), op, cb_a, cb_b, tile_a, tile_b, dst,
                                    accumulate_to_dst);
}

// Transposing while copying is not supported; initialisers that would ask for it fail the launch.
FORCE_INLINE void refuse_transpose(uint32_t transpose) {
  if (transpose != 0) fail("copy_tile with transpose is not supported");
}

}  // namespace lightmetal::kernel
