#pragma once

#include <cstdint>
#include <tt-metalium/core_coord.hpp>  // IWYU pragma: export
#include <tt-metalium/rtoptions.hpp>   // IWYU pragma: export
#include <tt-metalium/tt_cluster.hpp>  // IWYU pragma: export
#include <vector>

// Memory of an open device by the coordinate of a core, as IDevice::virtual_core_from_logical_core
// gives it. Addresses and sizes are in bytes; sizes are multiples of four. The functions work as
// the calls of <tt-metalium/tt_metal.hpp> beside the queues, and are captured as those.
// `small_access` changes nothing. Errors are std::runtime_error: the device is not open, no core is
// there, the range leaves the memory, or the address is beyond 32 bits.
namespace tt::llrt {

std::vector<uint32_t> read_hex_vec_from_core(chip_id_t chip, const CoreCoord& core,
                                             uint64_t address, uint32_t size);
void write_hex_vec_to_core(chip_id_t chip, const CoreCoord& core,
                           const std::vector<uint32_t>& hex_vec, uint64_t address,
                           bool small_access = false);

}  // namespace tt::llrt
