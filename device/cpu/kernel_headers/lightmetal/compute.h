#pragma once

#include "lightmetal/args.h"
#include "lightmetal/circular_buffers.h"
#include "lightmetal/kernel.h"
#include "lightmetal/parts.h"
#include "lightmetal_kernel_abi_tiles.h"
#include "llk_defs.h"

// What every header of the compute API starts from. On a device three processors run a compute
// kernel: one unpacks, one does the maths, one packs. An object that does all three does what is
// meant for any of them; an object that is a part of a kernel, what is meant for its processor.

#ifdef TRISC_MATH
#define MATH(x) x
#else
#define MATH(x)
#endif
#ifdef TRISC_PACK
#define PACK(x) x
#else
#define PACK(x)
#endif
#ifdef TRISC_UNPACK
#define UNPACK(x) x
#else
#define UNPACK(x)
#endif

namespace lightmetal::kernel {

using kernel_abi::BinaryOp;
using kernel_abi::Broadcast;
using kernel_abi::DestReuse;
using kernel_abi::ReduceDim;
using kernel_abi::ReduceOp;
using kernel_abi::RowShape;
using kernel_abi::UnaryOp;

// Set by the initialisers of binary operations: whether they add to DST.
inline bool accumulate_to_dst = false;
// Set by the initialisers of copies: whether copy_tile transposes.
inline bool copy_transposes = false;

FORCE_INLINE const kernel_abi::TileServices& tiles() { return *context()->services->tiles; }

// The rows and columns of a circular buffer's tiles.
FORCE_INLINE RowShape tile_shape(uint32_t index) {
  const CircularBuffer& cb = circular_buffer(static_cast<int32_t>(index));
  return {.rows = kernel_abi::tile_rows(cb), .columns = kernel_abi::tile_columns(cb)};
}

// The part of a tile that has these faces; of as many faces as the circular buffer's tiles, in the
// order of those, and else two faces side by side. Faces of four have 16 rows.
FORCE_INLINE RowShape shape_of_faces(uint32_t index, uint32_t face_r_dim, uint32_t num_faces) {
  const RowShape own = tile_shape(index);
  const bool narrow = num_faces == 2 && own.rows == 32 && own.columns == 16;
  return {.rows = num_faces == 4 || narrow ? 32 : face_r_dim,
          .columns = num_faces == 1 || narrow ? 16u : 32u};
}

FORCE_INLINE void binary_tiles(BinaryOp op, uint32_t cb_a, uint32_t cb_b, uint32_t tile_a,
                               uint32_t tile_b, uint32_t dst) {
  context()->services->binary_tiles(context(), op, cb_a, cb_b, tile_a, tile_b, dst,
                                    accumulate_to_dst);
}

// The operation that the matrix unit has for a type; there is none for the others.
template <ckernel::EltwiseBinaryType kType>
constexpr BinaryOp binary_op() {
  static_assert(kType == ckernel::ELWMUL || kType == ckernel::ELWADD || kType == ckernel::ELWSUB,
                "only ELWMUL, ELWADD and ELWSUB are supported");
  return kType == ckernel::ELWMUL   ? BinaryOp::kMul
         : kType == ckernel::ELWADD ? BinaryOp::kAdd
                                    : BinaryOp::kSub;
}

}  // namespace lightmetal::kernel
