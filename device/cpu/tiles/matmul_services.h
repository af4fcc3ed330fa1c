#pragma once

#include <cstdint>

#include "device/kernel_abi/lightmetal_kernel_abi.h"

// The services that multiply tiles as matrices and add to DST (lightmetal_kernel_abi.h,
// lightmetal_kernel_abi_tiles.h). Tiles of bfloat16 are multiplied as they are where the processor
// can (bfloat16_product.h), all others as floats; sums are floats either way.
namespace lightmetal::device::cpu {

void matmul_tiles(kernel_abi::Context* context, uint32_t cb_a, uint32_t cb_b, uint32_t tile_a,
                  uint32_t tile_b, uint32_t dst, uint32_t transpose_b);
void matmul_block(kernel_abi::Context* context, uint32_t cb_a, uint32_t cb_b, uint32_t tile_a,
                  uint32_t tile_b, uint32_t dst, uint32_t transpose_b, uint32_t columns,
                  uint32_t rows, uint32_t inner);

}  // namespace lightmetal::device::cpu
