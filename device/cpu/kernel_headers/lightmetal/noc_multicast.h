#pragma once

#include "lightmetal/noc.h"

// Multicasts: the same L1 address on each core of a rectangle, both corners included. The sender is
// left out but for *_loopback_src. Before mid-2025 `multicast_path_reserve` came before `noc`; both
// forms mean the same here.

namespace lightmetal::kernel {

// Calls visit(address) with the address of each core of a multicast's rectangle.
template <typename Visit>
FORCE_INLINE void for_each_target(uint64_t rectangle, const Visit& visit) {
  const uint32_t x0 = noc_address_part(rectangle, 0), x1 = noc_address_part(rectangle, 2);
  const uint32_t y0 = noc_address_part(rectangle, 1), y1 = noc_address_part(rectangle, 3);
  const uint64_t local = rectangle & ((uint64_t{1} << kernel_abi::kNocLocalBits) - 1);
  for (uint32_t y = y0 < y1 ? y0 : y1; y <= (y0 < y1 ? y1 : y0); ++y) {
    for (uint32_t x = x0 < x1 ? x0 : x1; x <= (x0 < x1 ? x1 : x0); ++x) {
      visit(x, y, noc_coordinate(x, y) | local);
    }
  }
}

// A rectangle to leave out: from a core to the border of the grid, in a direction of each axis.
struct ExcludedRegion {
  uint32_t encoding;

  bool contains(uint32_t x, uint32_t y) const {
    constexpr uint32_t kBits = kernel_abi::kNocCoordinateBits;
    constexpr uint32_t kMask = (1u << kBits) - 1;
    const uint32_t start_x = encoding & kMask, start_y = encoding >> kBits & kMask;
    const bool right = (encoding >> 2 * kBits & 1) != 0, down = (encoding >> 2 * kBits & 2) != 0;
    return (right ? x >= start_x : x <= start_x) && (down ? y >= start_y : y <= start_y);
  }
};

}  // namespace lightmetal::kernel

template <uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1>
FORCE_INLINE void noc_async_write_multicast(uint32_t src_local_l1_addr,
                                            uint64_t dst_noc_addr_multicast, uint32_t size,
                                            uint32_t num_dests, bool linked = false,
                                            bool multicast_path_reserve = true,
                                            uint8_t noc = noc_index) {
  lightmetal::kernel::note_packet_of<max_page_size>(size);
  lightmetal::kernel::noc_multicast(src_local_l1_addr, dst_noc_addr_multicast, size, num_dests,
                                    false);
}

FORCE_INLINE void noc_async_write_multicast_one_packet(
    uint32_t src_local_l1_addr, uint64_t dst_noc_addr_multicast, uint32_t size, uint32_t num_dests,
    bool linked = false, bool multicast_path_reserve = true, uint8_t noc = noc_index) {
  lightmetal::kernel::note_one_packet(size);
  lightmetal::kernel::noc_multicast(src_local_l1_addr, dst_noc_addr_multicast, size, num_dests,
                                    false);
}

FORCE_INLINE void noc_async_write_multicast_loopback_src(
    uint32_t src_local_l1_addr, uint64_t dst_noc_addr_multicast, uint32_t size, uint32_t num_dests,
    bool linked = false, bool multicast_path_reserve = true, uint8_t noc = noc_index) {
  lightmetal::kernel::noc_multicast(src_local_l1_addr, dst_noc_addr_multicast, size, num_dests,
                                    true);
}

// The cores right of (or, direction 0, left of) and below (above) the given one, itself included.
FORCE_INLINE uint32_t get_noc_exclude_region(uint32_t exclude_start_x, uint32_t exclude_start_y,
                                             uint32_t exclude_dir_x, uint32_t exclude_dir_y,
                                             uint8_t noc = noc_index) {
  constexpr uint32_t kBits = lightmetal::kernel_abi::kNocCoordinateBits;
  return exclude_start_x | exclude_start_y << kBits | (exclude_dir_x & 1) << 2 * kBits |
         (exclude_dir_y & 1) << (2 * kBits + 1);
}

// An L-shape: the cores of the rectangle that lie outside the excluded region.
FORCE_INLINE void noc_async_write_multicast_exclude_region(
    uint32_t src_local_l1_addr, uint64_t dst_noc_addr_multicast, uint32_t size, uint32_t num_dests,
    uint32_t exclude_region, bool linked = false, bool multicast_path_reserve = true,
    uint8_t noc = noc_index) {
  const lightmetal::kernel::ExcludedRegion excluded{exclude_region};
  lightmetal::kernel::for_each_target(
      dst_noc_addr_multicast, [&](uint32_t x, uint32_t y, uint64_t address) {
        if (excluded.contains(x, y)) return;
        const uint64_t one = get_noc_multicast_addr(x, y, x, y, static_cast<uint32_t>(address));
        lightmetal::kernel::noc_multicast(src_local_l1_addr, one, size, 1, false);
      });
}
