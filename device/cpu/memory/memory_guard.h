#pragma once

#include <cstdint>

#include "absl/status/status.h"

// Keeps kernels from writing to the host's memory, in a process that asked for it: with the
// processor's protection keys, kernel code can write to memory of one key alone, the device's and
// its own stack. Everything else it can read and not write; a store there faults, and the kernel is
// named as for any other fault. Every way from kernel code to ours and back goes through a gate:
// guarded_services.h, the fault handler.
//
// It stops stores. It does not withstand a kernel that is written to get around it: our services
// believe the context that the kernel could have changed, and return addresses of ours lie on its
// stack. docs/security.md says what else there is against that.
namespace lightmetal::device::cpu {

// From now on kernels are guarded. Unavailable when this processor, system or build has no
// protection keys that would do. REQUIRES: kernels are confined (confined_code.h), the process has
// one thread, no device is open.
absl::Status guard_host_memory();

namespace memory_guard {
// Written once, before there is a second thread.
struct Keys {
  bool on = false;
  int kernel_key = 0;          // of memory that kernels may write to
  uint32_t host_rights = 0;    // of the PKRU register
  uint32_t kernel_rights = 0;  // of the PKRU register
};
extern Keys keys;

inline uint32_t rights() {
  uint32_t rights = 0;
#if defined(__x86_64__)
  // rdpkru, which old assemblers do not know.
  asm volatile(".byte 0x0f, 0x01, 0xee" : "=a"(rights) : "c"(0) : "rdx");
#endif
  return rights;
}

inline void set_rights([[maybe_unused]] uint32_t rights) {
#if defined(__x86_64__)
  // wrpkru, which old assemblers do not know.
  asm volatile(".byte 0x0f, 0x01, 0xef" : : "a"(rights), "c"(0), "d"(0) : "memory");
#endif
}
}  // namespace memory_guard

inline bool host_memory_is_guarded() { return memory_guard::keys.on; }

// Once in every thread that runs kernels; cheap again. REQUIRES: host_memory_is_guarded().
void prepare_thread_for_guard();

// Around kernel code. REQUIRES: host_memory_is_guarded().
inline void enter_kernel_code() { memory_guard::set_rights(memory_guard::keys.kernel_rights); }
inline bool is_kernel_code() { return memory_guard::rights() == memory_guard::keys.kernel_rights; }
inline void leave_kernel_code() { memory_guard::set_rights(memory_guard::keys.host_rights); }

// Readable and writable memory that kernels may write to, or may not, when host memory is guarded.
// Return what mprotect returns.
int allow_kernels(void* memory, uint64_t size);
int refuse_kernels(void* memory, uint64_t size);

}  // namespace lightmetal::device::cpu
