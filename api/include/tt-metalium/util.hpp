#pragma once

#include <cstdint>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/data_types.hpp>
#include <tt-metalium/hal_types.hpp>
#include <tt-metalium/math.hpp>
#include <tt-metalium/tt_align.hpp>
#include <tt-metalium/tt_backend_api_types.hpp>

namespace tt {

namespace tt_metal::detail {

inline uint32_t TileSize(const DataFormat& format) { return tt::tile_size(format); }

// How many bytes `size_bytes` of pages take in each of `num_banks` banks. Throws unless the page
// size divides the size.
uint64_t SizeBytesPerBank(uint64_t size_bytes, uint64_t page_size_bytes, uint32_t num_banks,
                          uint32_t alignment_bytes);

}  // namespace tt_metal::detail
}  // namespace tt
