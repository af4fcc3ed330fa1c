#pragma once

#include <cstdint>

#include "base/data_format.h"
#include "device/kernel_abi/lightmetal_kernel_abi.h"

// Tiles in circular buffers as compute kernels name them. Each function fails the launch when the
// circular buffer or the tile does not exist or has a format that compute kernels cannot take.
namespace lightmetal::device::cpu {

inline DataFormat format_of(const kernel_abi::CircularBuffer& cb) {
  return static_cast<DataFormat>(cb.format);
}

const kernel_abi::CircularBuffer& circular_buffer(kernel_abi::Context* context, uint32_t index);

// `bytes` bytes at an L1 address in a circular buffer. Hardware moves whole tiles, whatever the
// buffer's size: what ends beyond it, but in L1, is tolerated. `what` and `number` name it.
char* place_in(kernel_abi::Context* context, uint32_t index, const kernel_abi::CircularBuffer& cb,
               uint64_t address, uint64_t bytes, const char* what, uint32_t number);

// Tile `tile` from the page at `pointer` on; tiles are a page apart.
char* tile_at(kernel_abi::Context* context, uint32_t index, const kernel_abi::CircularBuffer& cb,
              uint32_t pointer, uint32_t tile);

// A tile that is computed with, in its format.
const void* tile_to_read(kernel_abi::Context* context, uint32_t index, uint32_t tile);
bool holds_bfloat16(kernel_abi::Context* context, uint32_t index);

// A tile that is computed with, as floats. `scratch` has room for one.
const float* operand(kernel_abi::Context* context, uint32_t index, uint32_t tile, float* scratch);

}  // namespace lightmetal::device::cpu
