#pragma once

#include "lightmetal/noc.h"
#include "lightmetal_kernel_abi_diagnosis.h"

// Semaphores: words of L1 at the same address on every core. Kernels share threads, so one that
// waits lets others run: these calls do, cb_pages_available_at_front and its twin do, and loops
// that only read volatile memory are made to do so now and then. A loop that does more while it
// waits has to call invalidate_l1_cache or riscv_wait.

enum class ProgrammableCoreType : uint8_t { TENSIX = 0, ACTIVE_ETH = 1, IDLE_ETH = 2 };

namespace lightmetal::kernel {

// Ids that the device has are always required; with the check of semaphores, ids that the program
// created.
FORCE_INLINE void check_semaphore(uint32_t id) {
  const uint32_t count = context()->num_semaphores;
  if (count != 0 && id >= count) [[unlikely]]
    fail_semaphore(id, count);
  if ((context()->checks & kernel_abi::kCheckSemaphores) != 0) [[unlikely]]
    context()->services->diagnosis->semaphore_used(context(), id);
}

}  // namespace lightmetal::kernel

template <ProgrammableCoreType type = ProgrammableCoreType::TENSIX>
FORCE_INLINE uint32_t get_semaphore(uint32_t semaphore_id) {
  lightmetal::kernel::check_semaphore(semaphore_id);
  return lightmetal::kernel_abi::kSemaphoreAddress +
         semaphore_id * lightmetal::kernel_abi::kSemaphoreStride;
}

FORCE_INLINE void noc_semaphore_wait(volatile tt_l1_ptr uint32_t* sem_addr, uint32_t val) {
  if (__atomic_load_n(sem_addr, __ATOMIC_ACQUIRE) == val) return;
  auto* context = lightmetal::kernel::context();
  context->services->semaphore_wait(context, lightmetal::kernel::l1_address(sem_addr), val, 0);
}

FORCE_INLINE void noc_semaphore_wait_min(volatile tt_l1_ptr uint32_t* sem_addr, uint32_t val) {
  if (__atomic_load_n(sem_addr, __ATOMIC_ACQUIRE) >= val) return;
  auto* context = lightmetal::kernel::context();
  context->services->semaphore_wait(context, lightmetal::kernel::l1_address(sem_addr), val, 1);
}

// Of this core; waiters find it by looking.
FORCE_INLINE void noc_semaphore_set(volatile tt_l1_ptr uint32_t* sem_addr, uint32_t val) {
  __atomic_store_n(sem_addr, val, __ATOMIC_RELEASE);
}

template <bool posted = false>
FORCE_INLINE void noc_semaphore_inc(uint64_t addr, uint32_t incr, uint8_t noc_id = noc_index,
                                    uint8_t vc = NOC_UNICAST_WRITE_VC) {
  auto* context = lightmetal::kernel::context();
  context->services->noc_increment(context, addr, incr);
}

// Increments the word on every core of a rectangle but this one.
template <bool posted = false>
FORCE_INLINE void noc_semaphore_inc_multicast(uint64_t addr, uint32_t incr, uint32_t num_dests,
                                              uint8_t noc_id = noc_index,
                                              uint8_t vc = NOC_MULTICAST_WRITE_VC) {
  lightmetal::kernel::for_each_target(addr, [&](uint32_t x, uint32_t y, uint64_t target) {
    if (x == my_x[noc_id] && y == my_y[noc_id]) return;
    noc_semaphore_inc<posted>(target, incr, noc_id, vc);
  });
}

// Sends the word at a local address.
FORCE_INLINE void noc_semaphore_set_remote(uint32_t src_local_l1_addr, uint64_t dst_noc_addr,
                                           uint8_t noc = noc_index) {
  lightmetal::kernel::noc_write(src_local_l1_addr, dst_noc_addr, 4);
}

FORCE_INLINE void noc_semaphore_set_multicast(uint32_t src_local_l1_addr,
                                              uint64_t dst_noc_addr_multicast, uint32_t num_dests,
                                              bool linked = false,
                                              bool multicast_path_reserve = true,
                                              uint8_t noc = noc_index) {
  lightmetal::kernel::noc_multicast(src_local_l1_addr, dst_noc_addr_multicast, 4, num_dests, false);
}

FORCE_INLINE void noc_semaphore_set_multicast_loopback_src(uint32_t src_local_l1_addr,
                                                           uint64_t dst_noc_addr_multicast,
                                                           uint32_t num_dests, bool linked = false,
                                                           bool multicast_path_reserve = true,
                                                           uint8_t noc = noc_index) {
  lightmetal::kernel::noc_multicast(src_local_l1_addr, dst_noc_addr_multicast, 4, num_dests, true);
}

// Polling loops call these; here they let the kernels that are waited for run.
FORCE_INLINE void invalidate_l1_cache() {
  lightmetal::kernel::context()->services->yield(lightmetal::kernel::context());
}
FORCE_INLINE void riscv_wait(uint32_t cycles) { invalidate_l1_cache(); }
