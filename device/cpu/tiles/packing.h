#pragma once

#include <cstdint>

#include "device/kernel_abi/lightmetal_kernel_abi.h"

// Tiles between the format and the shape of a circular buffer and the form in which kernels compute
// with them, which is that of DST: floats, or integers of 32 bits, each at its place in a tile of
// 32x32 (tile_shape.h). A function that takes the context fails the launch when it cannot do what
// is asked.
namespace lightmetal::device::cpu {

// Loads a tile's bytes, at `source` in the format of `cb`, as floats or as integers of 32 bits.
// Returns whether they are integers.
bool load_tile(const kernel_abi::CircularBuffer& cb, const char* source, float* target);

// The same for a tile that a kernel computes with as floats; integers fail the launch.
void load_floats(kernel_abi::Context* context, uint32_t index, const kernel_abi::CircularBuffer& cb,
                 const char* source, float* target);

// Writes a tile's bytes at `target` as the kernel packs them: only a reduction's results where the
// kernel masks the rest, with the kernel's ReLU, and added to what lies at `target` when it
// accumulates. `integers` says what the tile holds.
void store_tile(kernel_abi::Context* context, uint32_t index, const kernel_abi::CircularBuffer& cb,
                const float* tile, bool integers, char* target);

}  // namespace lightmetal::device::cpu
