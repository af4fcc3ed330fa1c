#pragma once

#include "device/kernel_abi/lightmetal_kernel_abi_tiles.h"

namespace lightmetal::device::cpu {

// The services of lightmetal_kernel_abi_tiles.h; as fill_tile_services says in all else.
const kernel_abi::TileServices& tile_services();

// The parts of the table. tile_services.cc: broadcasts, reductions, transposes, products of blocks.
void fill_shape_services(kernel_abi::TileServices& services);
// layout_services.cc: between tiles and rows.
void fill_layout_services(kernel_abi::TileServices& services);

}  // namespace lightmetal::device::cpu
