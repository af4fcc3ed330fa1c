#pragma once

#include "lightmetal/kernel.h"
#include "lightmetal_kernel_abi_diagnosis.h"

// NoC addresses, and what reads, writes and barriers are made of. Transfers are done when the call
// returns, so barriers have nothing to wait for unless the device was asked to delay transfers. A
// transfer that leaves the memory of its target fails the launch. Both NoCs use the same
// coordinates; virtual channels and command buffers have no effect.

#define NUM_NOCS 2
#ifdef ARCH_BLACKHOLE
#define NOC_MAX_BURST_SIZE 16384
#else
#define NOC_MAX_BURST_SIZE 8192
#endif
#define NOC_ADDR_LOCAL_BITS 36
#define NOC_ADDR_COORD_SHIFT NOC_ADDR_LOCAL_BITS
#define NOC_ADDR_NODE_ID_BITS 6
#define NOC_UNICAST_WRITE_VC 1
#define NOC_MULTICAST_WRITE_VC 4
#define NOC_DISPATCH_MULTICAST_WRITE_VC 5
#define NOC_MAX_TRANSACTION_ID 0xF
#define NOC_CLEAR_OUTSTANDING_REQ_MASK 0xFFFFFFFFu

// Bytes that source and target of a transfer agree on.
#define NOC_L1_READ_ALIGNMENT_BYTES 16
#define NOC_L1_WRITE_ALIGNMENT_BYTES 16
#define NOC_DRAM_READ_ALIGNMENT_BYTES DRAM_ALIGNMENT
#define NOC_DRAM_WRITE_ALIGNMENT_BYTES 16

#define MEM_L1_BASE 0x0
#define MEM_ZEROS_BASE (lightmetal::kernel_abi::kZerosAddress)
#define MEM_ZEROS_SIZE 512  // an int, which kernels compare with others
static_assert(MEM_ZEROS_SIZE == lightmetal::kernel_abi::kZerosSize);

#ifndef NOC_INDEX
#define NOC_INDEX 0
#endif

// The coordinates of the first worker. Those that are written down in a kernel are those that host
// programs are given, on either NoC.
#define VIRTUAL_TENSIX_START_X \
  (lightmetal::kernel::context()->noc_x - lightmetal::kernel::context()->logical_x)
#define VIRTUAL_TENSIX_START_Y \
  (lightmetal::kernel::context()->noc_y - lightmetal::kernel::context()->logical_y)
#define NOC_X(x) (x)
#define NOC_Y(y) (y)
#define DYNAMIC_NOC_X(noc, x) (x)
#define DYNAMIC_NOC_Y(noc, y) (y)

// The coordinates of an address without its local part, and whole addresses.
#define NOC_XY_ENCODING(x, y)                          \
  (static_cast<uint32_t>(x) | static_cast<uint32_t>(y) \
                                  << lightmetal::kernel_abi::kNocCoordinateBits)
#define NOC_MULTICAST_ENCODING(x_start, y_start, x_end, y_end)       \
  (NOC_XY_ENCODING(x_end, y_end) | NOC_XY_ENCODING(x_start, y_start) \
                                       << 2 * lightmetal::kernel_abi::kNocCoordinateBits)
#define NOC_XY_ADDR(x, y, addr) get_noc_addr_helper(NOC_XY_ENCODING(x, y), addr)
#define NOC_MULTICAST_ADDR(x_start, y_start, x_end, y_end, addr) \
  get_noc_addr_helper(NOC_MULTICAST_ENCODING(x_start, y_start, x_end, y_end), addr)
#define NOC_LOCAL_ADDR_OFFSET(addr) \
  ((addr) & ((uint64_t{1} << lightmetal::kernel_abi::kNocLocalBits) - 1))
#define NOC_UNICAST_ADDR_X(addr) lightmetal::kernel::noc_address_part(addr, 0)
#define NOC_UNICAST_ADDR_Y(addr) lightmetal::kernel::noc_address_part(addr, 1)
#define NOC_MCAST_ADDR_END_X(addr) lightmetal::kernel::noc_address_part(addr, 0)
#define NOC_MCAST_ADDR_END_Y(addr) lightmetal::kernel::noc_address_part(addr, 1)
#define NOC_MCAST_ADDR_START_X(addr) lightmetal::kernel::noc_address_part(addr, 2)
#define NOC_MCAST_ADDR_START_Y(addr) lightmetal::kernel::noc_address_part(addr, 3)

inline constexpr uint8_t noc_index = NOC_INDEX;

// The hardware's command buffers, named by kernels.
inline constexpr uint32_t write_cmd_buf = 0;
inline constexpr uint32_t read_cmd_buf = 1;
inline constexpr uint32_t write_reg_cmd_buf = 2;
inline constexpr uint32_t write_at_cmd_buf = 3;

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

// Coordinates of an address: x and y of its (end) core, then of a rectangle's start.
constexpr uint32_t noc_address_part(uint64_t address, uint32_t part) {
  constexpr uint32_t kMask = (1u << kernel_abi::kNocCoordinateBits) - 1;
  return static_cast<uint32_t>(
             address >> (kernel_abi::kNocLocalBits + part * kernel_abi::kNocCoordinateBits)) &
         kMask;
}

// `state` with another low word of the local address.
constexpr uint64_t with_low_word(uint64_t state, uint32_t low) {
  return (state & ~uint64_t{0xffffffff}) | low;
}

// What the *_set_state calls leave for the *_with_state calls, for each NoC.
struct NocState {
  uint64_t address = 0;
  uint32_t size = 0;
};
inline NocState read_state[NUM_NOCS];
inline NocState write_state[NUM_NOCS];

// To be called before a transfer that the kernel has for one of one packet. Hardware delivers a
// longer one, too.
FORCE_INLINE void note_one_packet(uint32_t size) {
  if (size > NOC_MAX_BURST_SIZE) [[unlikely]]
    tolerate_packet(size, NOC_MAX_BURST_SIZE);
}
// The same of a call that is told how long its transfers are at most.
template <uint32_t max_page_size>
FORCE_INLINE void note_packet_of(uint32_t size) {
  if constexpr (max_page_size <= NOC_MAX_BURST_SIZE) note_one_packet(size);
}

FORCE_INLINE void require_transaction_id(uint32_t id) {
  if (id > NOC_MAX_TRANSACTION_ID) fail("NoC transaction ids are 0 to 15");
}

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

FORCE_INLINE void noc_write_word(uint64_t target, uint32_t value, uint32_t byte_enable) {
  context()->services->noc_write_word(context(), target, value, byte_enable);
}

FORCE_INLINE void noc_barrier(kernel_abi::NocBarrier barrier) {
  if ((context()->checks & kernel_abi::kDelayTransfers) == 0) return;
  context()->services->diagnosis->noc_barrier(context(), barrier);
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

// The corners may come in either order: the rectangle is what lies between them.
FORCE_INLINE uint64_t get_noc_multicast_addr(uint32_t noc_x_start, uint32_t noc_y_start,
                                             uint32_t noc_x_end, uint32_t noc_y_end, uint32_t addr,
                                             uint8_t noc = noc_index) {
  return (lightmetal::kernel::noc_coordinate(noc_x_start, noc_y_start)
          << 2 * lightmetal::kernel_abi::kNocCoordinateBits) |
         lightmetal::kernel::noc_coordinate(noc_x_end, noc_y_end) | addr;
}

// ---- Barriers ----

FORCE_INLINE void noc_async_read_barrier(uint8_t noc = noc_index) {
  lightmetal::kernel::noc_barrier(lightmetal::kernel_abi::NocBarrier::kReads);
}
FORCE_INLINE void noc_async_write_barrier(uint8_t noc = noc_index) {
  lightmetal::kernel::noc_barrier(lightmetal::kernel_abi::NocBarrier::kWrites);
}
FORCE_INLINE void noc_async_writes_flushed(uint8_t noc = noc_index) {
  lightmetal::kernel::noc_barrier(lightmetal::kernel_abi::NocBarrier::kWritesSent);
}
FORCE_INLINE void noc_async_posted_writes_flushed(uint8_t noc = noc_index) {
  lightmetal::kernel::noc_barrier(lightmetal::kernel_abi::NocBarrier::kWritesSent);
}
FORCE_INLINE void noc_async_atomic_barrier(uint8_t noc_idx = noc_index) {
  lightmetal::kernel::noc_barrier(lightmetal::kernel_abi::NocBarrier::kAtomics);
}
FORCE_INLINE void noc_async_full_barrier(uint8_t noc_idx = noc_index) {
  lightmetal::kernel::noc_barrier(lightmetal::kernel_abi::NocBarrier::kAll);
}

// Of the transfers of one transaction; here of all transfers of the kind.
FORCE_INLINE void noc_async_read_barrier_with_trid(uint32_t trid, uint8_t noc = noc_index) {
  lightmetal::kernel::require_transaction_id(trid);
  noc_async_read_barrier(noc);
}
FORCE_INLINE void noc_async_write_barrier_with_trid(uint32_t trid, uint8_t noc = noc_index) {
  lightmetal::kernel::require_transaction_id(trid);
  noc_async_write_barrier(noc);
}
FORCE_INLINE void noc_async_write_flushed_with_trid(uint32_t trid, uint8_t noc = noc_index) {
  lightmetal::kernel::require_transaction_id(trid);
  noc_async_writes_flushed(noc);
}

// The hardware counts outstanding transfers of each transaction id; here none is outstanding.
FORCE_INLINE void reset_noc_trid_barrier_counter(uint32_t id_mask = NOC_CLEAR_OUTSTANDING_REQ_MASK,
                                                 uint32_t noc = noc_index) {}

#include "lightmetal/noc_multicast.h"
#include "lightmetal/noc_reads.h"
#include "lightmetal/noc_writes.h"
