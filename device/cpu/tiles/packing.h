#pragma once

#include <cstdint>

#include "device/kernel_abi/lightmetal_kernel_abi.h"

// Tiles between a circular buffer's format and the form they are computed with. Each function fails
// the launch when it cannot do what is asked.
namespace lightmetal::device::cpu {

// A tile's bytes, at `source` in the format of `cb`, as floats or as integers of 32 bits. Returns
// whether they are integers.
bool load_tile(const kernel_abi::CircularBuffer& cb, const char* source, float* target);

// The part of load_tile that is to be computed with: floats.
void load_floats(kernel_abi::Context* context, uint32_t index, const kernel_abi::CircularBuffer& cb,
                 const char* source, float* target);

// Writes a tile's bytes at `target` as a kernel packs them, with its ReLU and its accumulation to
// what lies there. `integers` says what the tile holds.
void store_tile(kernel_abi::Context* context, uint32_t index, const kernel_abi::CircularBuffer& cb,
                const float* tile, bool integers, char* target);

}  // namespace lightmetal::device::cpu
