#pragma once

#include "lightmetal/noc.h"

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

// Nothing is counted that had to be set back.
FORCE_INLINE void ncrisc_noc_counters_init() {}
FORCE_INLINE void dynamic_noc_local_state_init() {}

// The transaction that a command buffer's next transfers belong to.
FORCE_INLINE void ncrisc_noc_set_transaction_id(uint32_t noc, uint32_t cmd_buf, uint32_t trid) {
  lightmetal::kernel::require_transaction_id(trid);
}
