#pragma once

#include "lightmetal/address_generators.h"

// NoC addresses by the names that upstream has below its own, as of late 2026.
namespace noc_address_backend {

FORCE_INLINE uint64_t worker_address(uint32_t x, uint32_t y, uint32_t local_address, uint8_t noc) {
  return get_noc_addr(x, y, local_address, noc);
}
FORCE_INLINE uint64_t self_address(uint32_t local_address, uint8_t noc) {
  return get_noc_addr(local_address, noc);
}
FORCE_INLINE uint64_t multicast_descriptor(uint32_t start_x, uint32_t start_y, uint32_t end_x,
                                           uint32_t end_y, uint32_t local_address, uint8_t noc) {
  return get_noc_multicast_addr(start_x, start_y, end_x, end_y, local_address, noc);
}
template <bool DRAM>
FORCE_INLINE uint64_t bank_address(uint32_t bank_index, uint32_t local_address, uint8_t noc) {
  return get_noc_addr_from_bank_id<DRAM>(bank_index, local_address, noc);
}
FORCE_INLINE uint32_t extract_local_address(uint64_t address) {
  return static_cast<uint32_t>(NOC_LOCAL_ADDR_OFFSET(address));
}
FORCE_INLINE bool is_local_coordinate(uint32_t x, uint32_t y, uint8_t noc) {
  return x == my_x[noc] && y == my_y[noc];
}
FORCE_INLINE bool is_local(uint64_t address, uint8_t noc) {
  return is_local_coordinate(NOC_UNICAST_ADDR_X(address), NOC_UNICAST_ADDR_Y(address), noc);
}

}  // namespace noc_address_backend
