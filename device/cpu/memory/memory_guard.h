#pragma once

#include <cstdint>

#include "absl/status/status.h"

// Keeps kernels from writing to the host's memory, in a process that asks for it. The guard uses
// the processor's protection keys: kernel code can write to memory of one key alone, which is the
// device's memory and the kernel's own stack. All other memory it can read and not write; a store
// there faults, and the error names the kernel as for any other fault. Every way from kernel code
// to ours and back goes through a gate: services/guarded_services.h, or the handler of faults.
//
// The guard stops stores. It does not withstand a kernel that is written to get around it: our
// services believe the context, which the kernel can change, and return addresses of our code lie
// on the kernel's stack. docs/security.md says what else protects against such a kernel.
namespace lightmetal::device::cpu {

// From this call on, kernels are guarded; nothing ends that. Unavailable, or an error of the
// system, when this processor, system or build has no protection keys that would do. REQUIRES:
// kernels are confined (confined_code.h), the process has one thread, no device is open.
absl::Status guard_host_memory();

namespace memory_guard {
// Written once, before there is a second thread, so it needs no lock.
struct Keys {
  bool on = false;
  int kernel_key = 0;          // the key of memory that kernels may write to
  uint32_t host_rights = 0;    // the PKRU register while our code runs
  uint32_t kernel_rights = 0;  // the PKRU register while kernel code runs
};
extern Keys keys;

// The PKRU register of this thread; 0 on processors of another kind.
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

// To be called in every thread before it runs kernels; a second call costs next to nothing.
// REQUIRES: host_memory_is_guarded().
void prepare_thread_for_guard();

// Change and ask the rights of this thread, around kernel code. REQUIRES: host_memory_is_guarded().
inline void enter_kernel_code() { memory_guard::set_rights(memory_guard::keys.kernel_rights); }
inline bool is_kernel_code() { return memory_guard::rights() == memory_guard::keys.kernel_rights; }
inline void leave_kernel_code() { memory_guard::set_rights(memory_guard::keys.host_rights); }

// Make memory readable and writable for our code. Where the host's memory is guarded, kernels may
// write to it after allow_kernels, and may not after refuse_kernels. Both return what mprotect
// returns, and leave its error in errno.
int allow_kernels(void* memory, uint64_t size);
int refuse_kernels(void* memory, uint64_t size);

}  // namespace lightmetal::device::cpu
