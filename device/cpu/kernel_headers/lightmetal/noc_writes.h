#pragma once

#include "lightmetal/noc.h"

// NoC writes: from the core's own L1 into any L1 or DRAM bank. Posted writes are as others: nobody
// waits for acknowledgements.

// What an inline write goes to on hardware.
enum class InlineWriteDst : uint8_t { DEFAULT = 0, L1 = 1, REG = 2 };

namespace lightmetal::kernel {

struct NocWordState {
  uint64_t address = 0;
  uint32_t value = 0;
  uint32_t byte_enable = 0xf;
};
inline NocWordState word_state[NUM_NOCS];

}  // namespace lightmetal::kernel

template <uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, bool enable_noc_tracing = true,
          bool posted = false>
FORCE_INLINE void noc_async_write(uint32_t src_local_l1_addr, uint64_t dst_noc_addr, uint32_t size,
                                  uint8_t noc = noc_index, uint32_t vc = NOC_UNICAST_WRITE_VC) {
  lightmetal::kernel::note_packet_of<max_page_size>(size);
  lightmetal::kernel::noc_write(src_local_l1_addr, dst_noc_addr, size);
}

template <bool enable_noc_tracing = true, bool posted = false>
FORCE_INLINE void noc_async_write_one_packet(uint32_t src_local_l1_addr, uint64_t dst_noc_addr,
                                             uint32_t size, uint8_t noc = noc_index,
                                             uint32_t vc = NOC_UNICAST_WRITE_VC) {
  lightmetal::kernel::note_one_packet(size);
  lightmetal::kernel::noc_write(src_local_l1_addr, dst_noc_addr, size);
}

// ---- With state: target coordinates and size once, then the low word of each target address. ----

template <bool posted = false>
FORCE_INLINE void noc_async_write_one_packet_set_state(uint64_t dst_noc_addr, uint32_t size,
                                                       uint8_t noc = noc_index,
                                                       uint8_t vc = NOC_UNICAST_WRITE_VC) {
  lightmetal::kernel::note_one_packet(size);
  lightmetal::kernel::write_state[noc & 1] = {dst_noc_addr, size};
}

template <bool posted = false>
FORCE_INLINE void noc_async_write_one_packet_with_state(uint32_t src_local_l1_addr,
                                                        uint32_t dst_local_l1_addr,
                                                        uint8_t noc = noc_index) {
  const auto& state = lightmetal::kernel::write_state[noc & 1];
  lightmetal::kernel::noc_write(src_local_l1_addr,
                                lightmetal::kernel::with_low_word(state.address, dst_local_l1_addr),
                                state.size);
}

// ---- Transactions: barriers for some of the writes ----

FORCE_INLINE void noc_async_write_set_trid(uint32_t trid = 0, uint8_t noc = noc_index) {
  lightmetal::kernel::require_transaction_id(trid);
}

template <bool update_counter = true, bool posted = false>
FORCE_INLINE void noc_async_write_one_packet_with_trid(
    uint32_t src_local_l1_addr, uint64_t dst_noc_addr, uint32_t size, uint32_t trid,
    uint8_t cmd_buf = write_cmd_buf, uint8_t noc = noc_index, uint8_t vc = NOC_UNICAST_WRITE_VC) {
  lightmetal::kernel::require_transaction_id(trid);
  noc_async_write_one_packet(src_local_l1_addr, dst_noc_addr, size, noc);
}

template <bool posted = false>
FORCE_INLINE void noc_async_write_one_packet_with_trid_set_state(
    uint64_t dst_noc_addr, uint8_t cmd_buf = write_cmd_buf, uint8_t noc = noc_index,
    uint8_t vc = NOC_UNICAST_WRITE_VC) {
  lightmetal::kernel::write_state[noc & 1].address = dst_noc_addr;
}

template <bool update_counter = true, bool posted = false>
FORCE_INLINE void noc_async_write_one_packet_with_trid_with_state(uint32_t src_local_l1_addr,
                                                                  uint32_t dst_local_l1_addr,
                                                                  uint32_t size, uint32_t trid,
                                                                  uint8_t cmd_buf = write_cmd_buf,
                                                                  uint8_t noc = noc_index) {
  lightmetal::kernel::require_transaction_id(trid);
  noc_async_write_one_packet(
      src_local_l1_addr,
      lightmetal::kernel::with_low_word(lightmetal::kernel::write_state[noc & 1].address,
                                        dst_local_l1_addr),
      size, noc);
}

// ---- Inline: one word; bit i of `be` enables byte i. ----

template <InlineWriteDst dst_type = InlineWriteDst::DEFAULT, bool posted = false, bool flush = true>
FORCE_INLINE void noc_inline_dw_write(uint64_t addr, uint32_t val, uint8_t be = 0xf,
                                      uint8_t noc = noc_index, uint8_t vc = NOC_UNICAST_WRITE_VC,
                                      uint32_t customized_src_addr = 0) {
  lightmetal::kernel::noc_write_word(addr, val, be);
}

// As in early 2025.
template <bool posted>
FORCE_INLINE void noc_inline_dw_write(uint64_t addr, uint32_t val, uint8_t be = 0xf,
                                      uint8_t noc = noc_index, uint8_t vc = NOC_UNICAST_WRITE_VC) {
  lightmetal::kernel::noc_write_word(addr, val, be);
}

template <bool posted = false, bool set_val = false,
          InlineWriteDst dst_type = InlineWriteDst::DEFAULT>
FORCE_INLINE void noc_inline_dw_write_set_state(uint64_t addr, uint32_t val = 0, uint8_t be = 0xf,
                                                uint8_t cmd_buf = write_at_cmd_buf,
                                                uint8_t noc = noc_index,
                                                uint8_t vc = NOC_UNICAST_WRITE_VC) {
  auto& state = lightmetal::kernel::word_state[noc & 1];
  state.address = addr;
  state.byte_enable = be;
  if constexpr (set_val) state.value = val;
}

template <bool update_addr_lo = false, bool update_counter = true, bool posted = false,
          bool update_addr_hi = false, bool update_val = false,
          InlineWriteDst dst_type = InlineWriteDst::DEFAULT>
FORCE_INLINE void noc_inline_dw_write_with_state(uint32_t val, uint32_t addr = 0,
                                                 uint8_t cmd_buf = write_at_cmd_buf,
                                                 uint8_t noc = noc_index) {
  static_assert(!update_addr_hi,
                "noc_inline_dw_write_with_state: update_addr_hi is not supported; "
                "set the address with noc_inline_dw_write_set_state");
  auto& state = lightmetal::kernel::word_state[noc & 1];
  if constexpr (update_addr_lo) {
    state.address = lightmetal::kernel::with_low_word(state.address, addr);
  }
  if constexpr (update_val) state.value = val;
  lightmetal::kernel::noc_write_word(state.address, state.value, state.byte_enable);
}
