#pragma once

#include "compute_kernel_api/common_globals.h"  // cb_wait_front, cb_pop_front, cb_reserve_back, cb_push_back

namespace ckernel {

// Sets the pointer at `p_tile` to 16 bytes before a tile that can be read: as on the hardware,
// where kernels find the tile's words from the pointer's fourth one on.
ALWI void cb_get_tile(uint32_t cb_id, uint32_t index, volatile void* p_tile) {
  const uint32_t address =
      lightmetal::kernel::front_tile_address(static_cast<int32_t>(cb_id), index) - 16;
  *static_cast<volatile uint32_t* volatile*>(p_tile) =
      reinterpret_cast<volatile uint32_t*>(static_cast<uintptr_t>(address));
}
// The unpacking part waits until the other two no longer use the pointer.
ALWI void cb_release_tile(uint32_t /*cb_id*/) {
  using namespace lightmetal;
  if constexpr (kernel::kIsPart) {
    const auto* parts = kernel::context()->services->parts;
    if constexpr (kernel::kUnpacks) {
      parts->mailbox_read(kernel::context(), kernel_abi::Part::kMath);
      parts->mailbox_read(kernel::context(), kernel_abi::Part::kPack);
    } else {
      parts->mailbox_write(kernel::context(), kernel_abi::Part::kUnpack, 0);
    }
  }
}

// ---- As of 2026 ----

// The number by which the hardware knows a circular buffer.
ALWI uint32_t get_operand_id(uint32_t cb_id) { return cb_id; }

// The L1 address of a tile that can be read.
ALWI uint32_t get_tile_address(uint32_t cb_id, uint32_t tile_index) {
  return lightmetal::kernel::front_tile_address(static_cast<int32_t>(cb_id), tile_index);
}
// A word of it.
ALWI uint32_t read_tile_value(uint32_t cb_id, uint32_t tile_index, uint32_t element_offset) {
  return lightmetal::kernel::front_tile_element<uint32_t>(static_cast<int32_t>(cb_id), tile_index,
                                                          element_offset);
}

}  // namespace ckernel
