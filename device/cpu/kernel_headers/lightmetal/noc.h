#pragma once

#include "lightmetal/kernel.h"

// NoC addresses, reads, writes and multicasts. Transfers are done when the call returns, so
// barriers have nothing to wait for. A transfer that leaves the memory of its target fails the
// launch. Both NoCs use the same coordinates.

#define NOC_MAX_BURST_SIZE 8192
#define MEM_ZEROS_BASE (lightmetal::kernel_abi::kZerosAddress)
#define MEM_ZEROS_SIZE (lightmetal::kernel_abi::kZerosSize)

#ifndef NOC_INDEX
#define NOC_INDEX 0
#endif

inline constexpr uint8_t noc_index = NOC_INDEX;

namespace lightmetal::kernel {

// my_x and my_y: the core's own coordinate on either NoC.
struct NocX {
  uint8_t operator[](uint32_t) const { return static_cast<uint8_t>(context()->noc_x); }
};
struct NocY {
  uint8_t operator[](uint32_t) const { return static_cast<uint8_t>(context()->noc_y); }
};

constexpr uint64_t noc_coordinate(uint32_t x, uint32_t y) {
  return (uint64_t{x} | uint64_t{y} << kernel_abi::kNocCoordinateBits) << kernel_abi::kNocLocalBits;
}

// `state` with another low word of the local address.
constexpr uint64_t with_low_word(uint64_t state, uint32_t low) {
  return (state & ~uint64_t{0xffffffff}) | low;
}

// What the *_set_state calls leave for the *_with_state calls.
struct NocState {
  uint64_t address = 0;
  uint32_t size = 0;
};
inline NocState read_state;
inline NocState write_state;

FORCE_INLINE void noc_read(uint64_t source, uint32_t target, uint32_t size) {
  context()->services->noc_read(context(), source, target, size);
}

FORCE_INLINE void noc_write(uint32_t source, uint64_t target, uint32_t size) {
  context()->services->noc_write(context(), source, target, size);
}

FORCE_INLINE void noc_multicast(uint32_t source, uint64_t target, uint32_t size,
                                uint32_t num_targets, bool include_self) {
  context()->services->noc_multicast(context(), source, target, size, num_targets, include_self);
}

}  // namespace lightmetal::kernel

inline constexpr lightmetal::kernel::NocX my_x;
inline constexpr lightmetal::kernel::NocY my_y;

// ---- Addresses ----

FORCE_INLINE uint64_t get_noc_addr(uint32_t noc_x, uint32_t noc_y, uint32_t addr,
                                   uint8_t noc = noc_index) {
  return lightmetal::kernel::noc_coordinate(noc_x, noc_y) | addr;
}

// An address of this core's own L1.
FORCE_INLINE uint64_t get_noc_addr(uint32_t addr, uint8_t noc = noc_index) {
  return get_noc_addr(my_x[noc], my_y[noc], addr, noc);
}

// `noc_xy` as host programs make it: x in the low 6 bits, y in the next 6.
FORCE_INLINE uint64_t get_noc_addr_helper(uint32_t noc_xy, uint32_t addr) {
  return (uint64_t{noc_xy} << lightmetal::kernel_abi::kNocLocalBits) | addr;
}

FORCE_INLINE uint64_t get_noc_multicast_addr(uint32_t noc_x_start, uint32_t noc_y_start,
                                             uint32_t noc_x_end, uint32_t noc_y_end, uint32_t addr,
                                             uint8_t noc = noc_index) {
  return (lightmetal::kernel::noc_coordinate(noc_x_start, noc_y_start)
          << 2 * lightmetal::kernel_abi::kNocCoordinateBits) |
         lightmetal::kernel::noc_coordinate(noc_x_end, noc_y_end) | addr;
}

// ---- Reads ----

template <uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1>
FORCE_INLINE void noc_async_read(uint64_t src_noc_addr, uint32_t dst_local_l1_addr, uint32_t size,
                                 uint8_t noc = noc_index) {
  lightmetal::kernel::noc_read(src_noc_addr, dst_local_l1_addr, size);
}

FORCE_INLINE void noc_async_read_one_packet(uint64_t src_noc_addr, uint32_t dst_local_l1_addr,
                                            uint32_t size, uint8_t noc = noc_index) {
  lightmetal::kernel::noc_read(src_noc_addr, dst_local_l1_addr, size);
}

FORCE_INLINE void noc_async_read_one_packet_set_state(uint64_t src_noc_addr, uint32_t size,
                                                      uint8_t noc = noc_index) {
  lightmetal::kernel::read_state = {src_noc_addr, size};
}

template <bool inc_num_issued = true>
FORCE_INLINE void noc_async_read_one_packet_with_state(uint32_t src_noc_addr,
                                                       uint32_t dst_local_l1_addr,
                                                       uint8_t noc = noc_index) {
  const auto& state = lightmetal::kernel::read_state;
  lightmetal::kernel::noc_read(lightmetal::kernel::with_low_word(state.address, src_noc_addr),
                               dst_local_l1_addr, state.size);
}

FORCE_INLINE void noc_async_read_set_state(uint64_t src_noc_addr, uint8_t noc = noc_index) {
  lightmetal::kernel::read_state.address = src_noc_addr;
}

template <bool inc_num_issued = true>
FORCE_INLINE void noc_async_read_with_state(uint32_t src_noc_addr, uint32_t dst_local_l1_addr,
                                            uint32_t size, uint8_t noc = noc_index) {
  lightmetal::kernel::noc_read(
      lightmetal::kernel::with_low_word(lightmetal::kernel::read_state.address, src_noc_addr),
      dst_local_l1_addr, size);
}

FORCE_INLINE void noc_async_read_inc_num_issued(uint32_t num_issued, uint8_t noc = noc_index) {}

// ---- Writes ----

template <uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1>
FORCE_INLINE void noc_async_write(uint32_t src_local_l1_addr, uint64_t dst_noc_addr, uint32_t size,
                                  uint8_t noc = noc_index) {
  lightmetal::kernel::noc_write(src_local_l1_addr, dst_noc_addr, size);
}

FORCE_INLINE void noc_async_write_one_packet(uint32_t src_local_l1_addr, uint64_t dst_noc_addr,
                                             uint32_t size, uint8_t noc = noc_index) {
  lightmetal::kernel::noc_write(src_local_l1_addr, dst_noc_addr, size);
}

template <bool non_posted = true>
FORCE_INLINE void noc_async_write_one_packet_set_state(uint64_t dst_noc_addr, uint32_t size,
                                                       uint8_t noc = noc_index, uint8_t vc = 0) {
  lightmetal::kernel::write_state = {dst_noc_addr, size};
}

template <bool non_posted = true>
FORCE_INLINE void noc_async_write_one_packet_with_state(uint32_t src_local_l1_addr,
                                                        uint32_t dst_noc_addr,
                                                        uint8_t noc = noc_index) {
  const auto& state = lightmetal::kernel::write_state;
  lightmetal::kernel::noc_write(src_local_l1_addr,
                                lightmetal::kernel::with_low_word(state.address, dst_noc_addr),
                                state.size);
}

// One word; bit i of `be` enables byte i.
template <bool posted = false>
FORCE_INLINE void noc_inline_dw_write(uint64_t addr, uint32_t val, uint8_t be = 0xf,
                                      uint8_t noc = noc_index) {
  auto* context = lightmetal::kernel::context();
  context->services->noc_write_word(context, addr, val, be);
}

// ---- Multicast: the same L1 address on each core of a rectangle. The sender is left out but for
// *_loopback_src. ----

template <uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1>
FORCE_INLINE void noc_async_write_multicast(uint32_t src_local_l1_addr,
                                            uint64_t dst_noc_addr_multicast, uint32_t size,
                                            uint32_t num_dests, bool linked = false,
                                            bool multicast_path_reserve = true,
                                            uint8_t noc = noc_index) {
  lightmetal::kernel::noc_multicast(src_local_l1_addr, dst_noc_addr_multicast, size, num_dests,
                                    false);
}

FORCE_INLINE void noc_async_write_multicast_one_packet(
    uint32_t src_local_l1_addr, uint64_t dst_noc_addr_multicast, uint32_t size, uint32_t num_dests,
    bool linked = false, bool multicast_path_reserve = true, uint8_t noc = noc_index) {
  lightmetal::kernel::noc_multicast(src_local_l1_addr, dst_noc_addr_multicast, size, num_dests,
                                    false);
}

FORCE_INLINE void noc_async_write_multicast_loopback_src(
    uint32_t src_local_l1_addr, uint64_t dst_noc_addr_multicast, uint32_t size, uint32_t num_dests,
    bool linked = false, bool multicast_path_reserve = true, uint8_t noc = noc_index) {
  lightmetal::kernel::noc_multicast(src_local_l1_addr, dst_noc_addr_multicast, size, num_dests,
                                    true);
}

// ---- Barriers ----

FORCE_INLINE void noc_async_read_barrier(uint8_t noc = noc_index) {}
FORCE_INLINE void noc_async_write_barrier(uint8_t noc = noc_index) {}
FORCE_INLINE void noc_async_writes_flushed(uint8_t noc = noc_index) {}
FORCE_INLINE void noc_async_posted_writes_flushed(uint8_t noc = noc_index) {}
FORCE_INLINE void noc_async_atomic_barrier(uint8_t noc = noc_index) {}
FORCE_INLINE void noc_async_full_barrier(uint8_t noc = noc_index) {}
