#pragma once

#include "lightmetal/kernel.h"

// The threads of a kernel, of which there is one on this generation of hardware, and the caches
// between them, of which there are none (as of late 2026).

FORCE_INLINE uint32_t get_num_threads() { return 1; }
FORCE_INLINE uint32_t get_my_thread_id() { return 0; }
FORCE_INLINE uint32_t get_barrier_id() { return 0; }
FORCE_INLINE void sync_threads() {}
FORCE_INLINE void sync_dm_compute_threads(uint32_t dm_threads, uint32_t tensixes) {}

FORCE_INLINE void scoped_lock_acquire_cache_ops(uintptr_t addr, uint32_t num_bytes) {}
FORCE_INLINE void scoped_lock_release_cache_ops(uintptr_t addr, uint32_t num_bytes) {}
