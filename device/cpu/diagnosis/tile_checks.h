#pragma once

#include "device/kernel_abi/lightmetal_kernel_abi.h"

namespace lightmetal::device::cpu {

// Puts checks for uninitialised L1 around the tile services: a tile that a kernel computes with
// must have been written whole, and a tile that a kernel packs counts as written. Operands of which
// only a part is used are not checked: those that are broadcast, and scalers. `services` has been
// filled by fill_tile_services(); `tiles` is where its table of further tile services is kept, and
// must live as long as `services`.
void check_tile_services(kernel_abi::Services& services, kernel_abi::TileServices& tiles);

}  // namespace lightmetal::device::cpu
