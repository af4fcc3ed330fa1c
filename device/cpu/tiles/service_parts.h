#pragma once

#include <cstdint>

#include "device/kernel_abi/lightmetal_kernel_abi_tiles.h"

// The parts from which services.cc puts the tables of tile services together. Each part has a
// source of its name.
namespace lightmetal::device::cpu {

// shape_services.cc: broadcasts, reductions, transposes.
void fill_shape_services(kernel_abi::TileServices& services);

// layout_services.cc: between tiles and rows.
void fill_layout_services(kernel_abi::TileServices& services);

// matmul_services.cc: tiles are multiplied as matrices and added to DST. Tiles of bfloat16 are
// multiplied as they are where the processor can (bfloat16_product.h), all others as floats; sums
// are floats either way.
void matmul_tiles(kernel_abi::Context* context, uint32_t cb_a, uint32_t cb_b, uint32_t tile_a,
                  uint32_t tile_b, uint32_t dst, uint32_t transpose_b);
void matmul_block(kernel_abi::Context* context, uint32_t cb_a, uint32_t cb_b, uint32_t tile_a,
                  uint32_t tile_b, uint32_t dst, uint32_t transpose_b, uint32_t columns,
                  uint32_t rows, uint32_t inner);

}  // namespace lightmetal::device::cpu
