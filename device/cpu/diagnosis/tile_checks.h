#pragma once

#include "device/kernel_abi/lightmetal_kernel_abi.h"

namespace lightmetal::device::cpu {

// Puts checks for uninitialised L1 around the tile services: a tile that is computed with must have
// been written whole, a tile that is packed is written. Not looked at are operands of which only a
// part is used: those that are broadcast, and scalers. `services` has been filled; `tiles` is where
// the table of those of version 2 can be kept.
void check_tile_services(kernel_abi::Services& services, kernel_abi::TileServices& tiles);

}  // namespace lightmetal::device::cpu
