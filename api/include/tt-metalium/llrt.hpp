#pragma once

#include <cstdint>
#include <tt-metalium/core_coord.hpp>  // IWYU pragma: export
#include <tt-metalium/rtoptions.hpp>   // IWYU pragma: export
#include <tt-metalium/tt_cluster.hpp>  // IWYU pragma: export
#include <vector>

// Memory of an open device by the coordinate of a core, which is what
// IDevice::virtual_core_from_logical_core gives. Addresses and sizes are in bytes, sizes multiples
// of four. As the calls of <tt-metalium/tt_metal.hpp> beside the queues, and captured as these.
// Errors are std::runtime_error.
namespace tt::llrt {

std::vector<uint32_t> read_hex_vec_from_core(chip_id_t chip, const CoreCoord& core,
                                             uint64_t address, uint32_t size);
void write_hex_vec_to_core(chip_id_t chip, const CoreCoord& core,
                           const std::vector<uint32_t>& hex_vec, uint64_t address,
                           bool small_access = false);

}  // namespace tt::llrt
