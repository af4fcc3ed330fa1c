#pragma once

#include "api/dataflow/semaphore_binding_token.h"
#include "lightmetal/semaphores.h"
#ifndef COMPILE_FOR_TRISC
#include "api/dataflow/noc.h"
#endif

// This core's semaphore of an id and, in data-movement kernels, through the NoC those of the same
// id on other cores.
template <ProgrammableCoreType core_type = ProgrammableCoreType::TENSIX>
class Semaphore {
  template <ProgrammableCoreType>
  friend class Semaphore;

 public:
  explicit Semaphore(uint32_t semaphore_id) : address_(get_semaphore<core_type>(semaphore_id)) {}
  explicit Semaphore(SemaphoreBindingToken token) : Semaphore(token.id) {}

  FORCE_INLINE void up(uint32_t value) { __atomic_fetch_add(word(), value, __ATOMIC_RELEASE); }
  // Waits until there is as much, and takes it away.
  FORCE_INLINE void down(uint32_t value) {
    wait_min(value);
    __atomic_fetch_sub(word(), value, __ATOMIC_RELEASE);
  }
  FORCE_INLINE void wait(uint32_t value) const { noc_semaphore_wait(word(), value); }
  FORCE_INLINE void wait_min(uint32_t value) const { noc_semaphore_wait_min(word(), value); }
  FORCE_INLINE void set(uint32_t value) { noc_semaphore_set(word(), value); }
  uintptr_t get_l1_addr() const { return address_; }
  FORCE_INLINE uint32_t value() const { return __atomic_load_n(word(), __ATOMIC_ACQUIRE); }

#ifndef COMPILE_FOR_TRISC
  FORCE_INLINE void up(const Noc& noc, uint32_t noc_x, uint32_t noc_y, uint32_t value,
                       uint8_t vc = NOC_UNICAST_WRITE_VC) {
    noc_semaphore_inc(get_noc_addr(noc_x, noc_y, address_), value, noc.get_noc_id(), vc);
  }
  // Sends the own value. The modes are NocOptions or, until May 2026, a Noc::McastMode.
  template <auto... modes>
  FORCE_INLINE void set_multicast(const Noc& noc, uint32_t noc_x_start, uint32_t noc_y_start,
                                  uint32_t noc_x_end, uint32_t noc_y_end, uint32_t num_dests,
                                  bool linked = false) {
    relay_multicast<Noc::options_of<modes...>()>(noc, *this, noc_x_start, noc_y_start, noc_x_end,
                                                 noc_y_end, num_dests, linked);
  }
  // As of late 2025: to this core, too.
  FORCE_INLINE void set_multicast_loopback_src(const Noc& noc, uint32_t noc_x_start,
                                               uint32_t noc_y_start, uint32_t noc_x_end,
                                               uint32_t noc_y_end, uint32_t num_dests,
                                               bool linked = false) {
    set_multicast<NocOptions::MCAST_INCL_SRC>(noc, noc_x_start, noc_y_start, noc_x_end, noc_y_end,
                                              num_dests, linked);
  }
  FORCE_INLINE void inc_multicast(const Noc& noc, uint32_t noc_x_start, uint32_t noc_y_start,
                                  uint32_t noc_x_end, uint32_t noc_y_end, uint32_t value,
                                  uint32_t num_dests) {
    noc_semaphore_inc_multicast(
        get_noc_multicast_addr(noc_x_start, noc_y_start, noc_x_end, noc_y_end, address_), value,
        num_dests, noc.get_noc_id());
  }
  // Sends the own value to another semaphore.
  template <ProgrammableCoreType dst_core_type = core_type>
  FORCE_INLINE void relay_unicast(const Noc& noc, const Semaphore<dst_core_type>& dst_sem,
                                  uint32_t noc_x, uint32_t noc_y) {
    noc_semaphore_set_remote(address_, get_noc_addr(noc_x, noc_y, dst_sem.address_),
                             noc.get_noc_id());
  }
  template <NocOptions opts = NocOptions::DEFAULT, ProgrammableCoreType dst_core_type = core_type>
  FORCE_INLINE void relay_multicast(const Noc& noc, const Semaphore<dst_core_type>& dst_sem,
                                    uint32_t noc_x_start, uint32_t noc_y_start, uint32_t noc_x_end,
                                    uint32_t noc_y_end, uint32_t num_dests, bool linked = false) {
    lightmetal::kernel::noc_multicast(
        address_,
        get_noc_multicast_addr(noc_x_start, noc_y_start, noc_x_end, noc_y_end, dst_sem.address_), 4,
        num_dests, has_flag(opts, NocOptions::MCAST_INCL_SRC));
  }
#endif

 private:
  volatile uint32_t* word() const {
    return reinterpret_cast<volatile uint32_t*>(lightmetal::kernel::context()->l1_base + address_);
  }

  uint32_t address_;
};

namespace experimental {

using ::Semaphore;

}  // namespace experimental
