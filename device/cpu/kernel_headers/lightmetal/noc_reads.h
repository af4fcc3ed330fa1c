#pragma once

#include "lightmetal/noc.h"

// NoC reads: from any L1 or DRAM bank into the core's own L1.

template <uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, bool enable_noc_tracing = true>
FORCE_INLINE void noc_async_read(uint64_t src_noc_addr, uint32_t dst_local_l1_addr, uint32_t size,
                                 uint8_t noc = noc_index, uint32_t vc = NOC_UNICAST_WRITE_VC) {
  lightmetal::kernel::note_packet_of<max_page_size>(size);
  lightmetal::kernel::noc_read(src_noc_addr, dst_local_l1_addr, size);
}

template <bool enable_noc_tracing = true>
FORCE_INLINE void noc_async_read_one_packet(uint64_t src_noc_addr, uint32_t dst_local_l1_addr,
                                            uint32_t size, uint8_t noc = noc_index,
                                            uint32_t vc = NOC_UNICAST_WRITE_VC) {
  lightmetal::kernel::note_one_packet(size);
  lightmetal::kernel::noc_read(src_noc_addr, dst_local_l1_addr, size);
}

// ---- With state: source coordinates (and size) once, then the low word of each source address.
// ----

FORCE_INLINE void noc_async_read_set_state(uint64_t src_noc_addr, uint8_t noc = noc_index) {
  lightmetal::kernel::read_state[noc & 1].address = src_noc_addr;
}

template <bool inc_num_issued = true>
FORCE_INLINE void noc_async_read_with_state(uint32_t src_local_l1_addr, uint32_t dst_local_l1_addr,
                                            uint32_t size, uint8_t noc = noc_index) {
  lightmetal::kernel::noc_read(
      lightmetal::kernel::with_low_word(lightmetal::kernel::read_state[noc & 1].address,
                                        src_local_l1_addr),
      dst_local_l1_addr, size);
}

// Until 2025 the third argument was the NoC, a byte; now it is the channel, a word.
template <bool use_vc = false>
FORCE_INLINE void noc_async_read_one_packet_set_state(uint64_t src_noc_addr, uint32_t size,
                                                      uint32_t vc, uint8_t noc) {
  lightmetal::kernel::note_one_packet(size);
  lightmetal::kernel::read_state[noc & 1] = {src_noc_addr, size};
}
template <bool use_vc = false, typename NocOrVc = uint32_t>
FORCE_INLINE void noc_async_read_one_packet_set_state(uint64_t src_noc_addr, uint32_t size,
                                                      NocOrVc noc_or_vc = 0) {
  const auto noc = sizeof(noc_or_vc) == 1 ? static_cast<uint8_t>(noc_or_vc) : noc_index;
  noc_async_read_one_packet_set_state<use_vc>(src_noc_addr, size, 0, noc);
}

template <bool inc_num_issued = true, bool use_vc = false>
FORCE_INLINE void noc_async_read_one_packet_with_state(uint32_t src_local_l1_addr,
                                                       uint32_t dst_local_l1_addr, uint32_t vc,
                                                       uint8_t noc) {
  const auto& state = lightmetal::kernel::read_state[noc & 1];
  lightmetal::kernel::noc_read(lightmetal::kernel::with_low_word(state.address, src_local_l1_addr),
                               dst_local_l1_addr, state.size);
}
template <bool inc_num_issued = true, bool use_vc = false, typename NocOrVc = uint32_t>
FORCE_INLINE void noc_async_read_one_packet_with_state(uint32_t src_local_l1_addr,
                                                       uint32_t dst_local_l1_addr,
                                                       NocOrVc noc_or_vc = 0) {
  const auto noc = sizeof(noc_or_vc) == 1 ? static_cast<uint8_t>(noc_or_vc) : noc_index;
  noc_async_read_one_packet_with_state(src_local_l1_addr, dst_local_l1_addr, 0, noc);
}

// Counts reads that were issued without being counted; barriers here need no count.
FORCE_INLINE void noc_async_read_inc_num_issued(uint32_t num_issued, uint8_t noc = noc_index) {}

// ---- Transactions: barriers for some of the reads ----

FORCE_INLINE void noc_async_read_set_trid(uint32_t trid = 0, uint8_t noc = noc_index) {
  lightmetal::kernel::require_transaction_id(trid);
}

template <bool skip_ptr_update = false, bool skip_cmdbuf_chk = false>
FORCE_INLINE void noc_async_read_one_packet_with_state_with_trid(uint32_t src_base_addr,
                                                                 uint32_t src_addr,
                                                                 uint32_t dest_addr,
                                                                 uint32_t trid = 0,
                                                                 uint8_t noc = noc_index) {
  lightmetal::kernel::require_transaction_id(trid);
  const auto& state = lightmetal::kernel::read_state[noc & 1];
  lightmetal::kernel::noc_read(
      lightmetal::kernel::with_low_word(state.address, src_base_addr + src_addr), dest_addr,
      state.size);
}
