#pragma once

#include "lightmetal/noc_multicast.h"
#include "lightmetal/noc_writes.h"

// What kernels ask of the NoC's registers and of the counters beside them. No transfer is
// outstanding where the device does not delay them, and where it does, asking is a barrier.

// Registers of requests that are outstanding, in all and of a transaction id: each reads as zero.
#define NIU_MST_REQS_OUTSTANDING_ID(id) (0x10 + (id))
#define NOC_STATUS_READ_REG(noc, reg_id) (static_cast<void>(noc), static_cast<void>(reg_id), 0u)

// Counted by kernels that issue transfers without counting them.
inline uint32_t noc_reads_num_issued[NUM_NOCS];
inline uint32_t noc_nonposted_writes_num_issued[NUM_NOCS];
inline uint32_t noc_nonposted_writes_acked[NUM_NOCS];
inline uint32_t noc_nonposted_atomics_acked[NUM_NOCS];
inline uint32_t noc_posted_writes_num_issued[NUM_NOCS];

FORCE_INLINE bool ncrisc_noc_reads_flushed(uint32_t noc) {
  noc_async_read_barrier();
  return true;
}
FORCE_INLINE bool ncrisc_noc_read_with_transaction_id_flushed(uint32_t noc,
                                                              uint32_t transcation_id) {
  return ncrisc_noc_reads_flushed(noc);
}
FORCE_INLINE bool ncrisc_noc_nonposted_writes_sent(uint32_t noc) {
  noc_async_writes_flushed();
  return true;
}
FORCE_INLINE bool ncrisc_noc_posted_writes_sent(uint32_t noc) {
  noc_async_posted_writes_flushed();
  return true;
}
FORCE_INLINE bool ncrisc_noc_nonposted_writes_flushed(uint32_t noc) {
  noc_async_write_barrier();
  return true;
}
FORCE_INLINE bool ncrisc_noc_nonposted_write_with_transaction_id_sent(uint32_t noc,
                                                                      uint32_t transcation_id) {
  return ncrisc_noc_nonposted_writes_sent(noc);
}
FORCE_INLINE bool ncrisc_noc_nonposted_write_with_transaction_id_flushed(uint32_t noc,
                                                                         uint32_t transcation_id) {
  return ncrisc_noc_nonposted_writes_flushed(noc);
}
FORCE_INLINE bool ncrisc_noc_nonposted_atomics_flushed(uint32_t noc) {
  noc_async_atomic_barrier();
  return true;
}

// A write of any size, to one target or to `num_dests`; the command buffer and the modes change
// nothing.
template <auto... modes>
FORCE_INLINE void ncrisc_noc_fast_write_any_len(uint32_t noc, uint32_t cmd_buf, uint32_t src_addr,
                                                uint64_t dest_addr, uint32_t len_bytes, uint32_t vc,
                                                bool mcast, bool linked, uint32_t num_dests,
                                                bool multicast_path_reserve, bool posted = false,
                                                uint32_t trid = 0) {
  lightmetal::kernel::require_transaction_id(trid);
  if (mcast) {
    noc_async_write_multicast(src_addr, dest_addr, len_bytes, num_dests, linked,
                              multicast_path_reserve, static_cast<uint8_t>(noc));
  } else {
    noc_async_write(src_addr, dest_addr, len_bytes, static_cast<uint8_t>(noc));
  }
}

// Nothing is counted that had to be set back.
FORCE_INLINE void ncrisc_noc_counters_init() {}
FORCE_INLINE void dynamic_noc_local_state_init() {}

// The transaction that a command buffer's next transfers belong to.
FORCE_INLINE void ncrisc_noc_set_transaction_id(uint32_t noc, uint32_t cmd_buf, uint32_t trid) {
  lightmetal::kernel::require_transaction_id(trid);
}

// Where a kernel's NoC is chosen at run time.
FORCE_INLINE bool ncrisc_dynamic_noc_reads_flushed(uint32_t noc) {
  return ncrisc_noc_reads_flushed(noc);
}
FORCE_INLINE bool ncrisc_dynamic_noc_nonposted_writes_sent(uint32_t noc) {
  return ncrisc_noc_nonposted_writes_sent(noc);
}
FORCE_INLINE bool ncrisc_dynamic_noc_posted_writes_sent(uint32_t noc) {
  return ncrisc_noc_posted_writes_sent(noc);
}
FORCE_INLINE bool ncrisc_dynamic_noc_nonposted_writes_flushed(uint32_t noc) {
  return ncrisc_noc_nonposted_writes_flushed(noc);
}
FORCE_INLINE bool ncrisc_dynamic_noc_nonposted_atomics_flushed(uint32_t noc) {
  return ncrisc_noc_nonposted_atomics_flushed(noc);
}
