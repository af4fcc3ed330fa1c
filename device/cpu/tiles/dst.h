#pragma once

#include <cstdint>

#include "base/data_format.h"
#include "device/kernel_abi/lightmetal_kernel_abi.h"
#include "device/kernel_abi/lightmetal_kernel_abi_diagnosis.h"
#include "device/kernel_abi/lightmetal_kernel_abi_tiles.h"

// The destination registers (DST) of a compute kernel. In Context::dst_state, bit i says that tile
// i holds integers, and bit 16 + i that the tile was written since it was last zeroed. A tile
// that was not written is all zeros, whatever its memory holds: it is cleared when somebody reads
// it, because most kernels use few of the tiles that they own. A kernel numbers the tiles of one
// section of DST: by default it computes in one half of DST and packs the other. Each function that
// takes the number of a tile fails the launch when the kernel has no such tile, but for the two
// that return bool.
namespace lightmetal::device::cpu {

// Fails the launch from a service, with at most 255 bytes of text; does not return.
[[noreturn]] __attribute__((format(printf, 2, 3))) void fail_kernel(kernel_abi::Context* context,
                                                                    const char* format, ...);

// To be called before a service does what hardware lets pass though hardly anybody means it
// (Misuse): warns, or fails the launch and does not return. `cb` is the circular buffer that it is
// about.
__attribute__((format(printf, 4, 5))) void tolerate(kernel_abi::Context* context,
                                                    kernel_abi::Misuse misuse, uint32_t cb,
                                                    const char* format, ...);

// The tile, for writing floats or integers over all of it.
float* dst_to_fill(kernel_abi::Context* context, uint32_t dst, bool integers);
// The tile, for reading what it holds.
float* dst_tile(kernel_abi::Context* context, uint32_t dst);
// The tile, for computing on the floats, or the integers, that it holds; fails the launch when it
// holds the other kind. A tile that was not written holds zeros of either kind.
float* dst_floats(kernel_abi::Context* context, uint32_t dst);
uint32_t* dst_integers(kernel_abi::Context* context, uint32_t dst);
// dst_to_fill for integers.
uint32_t* dst_integers_to_fill(kernel_abi::Context* context, uint32_t dst);

// A tile of the section that is packed.
struct TileToPack {
  const float* values;
  bool integers;  // a tile that was not written holds what `format` asks for
};
TileToPack tile_to_pack(kernel_abi::Context* context, uint32_t dst, DataFormat format);

// The service of its name (TileServices).
void sync_dst(kernel_abi::Context* context, kernel_abi::DstCall call);
// Marks all tiles as unwritten, which makes them zeros, and none as integers.
void clear_dst(kernel_abi::Context* context);

// False for a tile that DST does not have.
bool dst_holds_integers(const kernel_abi::Context* context, uint32_t dst);
bool dst_is_written(const kernel_abi::Context* context, uint32_t dst);

}  // namespace lightmetal::device::cpu
