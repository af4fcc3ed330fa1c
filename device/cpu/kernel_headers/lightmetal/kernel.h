#pragma once

#include <cstddef>
#include <cstdint>

#include "lightmetal/standard.h"
#include "lightmetal_kernel_abi.h"
#include "lightmetal_kernel_abi_diagnosis.h"

// What every header of the kernel API starts from: the macros that kernels use, and access to the
// device.

#define FORCE_INLINE inline __attribute__((always_inline))
#define ALWI inline __attribute__((always_inline))
#define tt_l1_ptr  // address spaces of the hardware; here a pointer is a pointer
#define tt_reg_ptr

// The instruction that orders memory accesses on the hardware's processors, which kernels of 2026
// name in assembly. Here accesses are in the order of the code that the compiler leaves.
asm(".macro fence arguments:vararg\n.endm");

namespace lightmetal::kernel {

using kernel_abi::Context;
using kernel_abi::context;

// What a launch of a kernel does because of calls that it made. Not every kernel reads the clock,
// and only the objects of those that do have what it needs. It is stored before the variables.
struct alignas(64) Hooks {
  void (*after_yield)();  // when others have run
};
FORCE_INLINE Hooks& hooks() { return static_cast<Hooks*>(context()->variables)[-1]; }

// To be called when hooks have changed. The calls that read them in loops are there only after
// optimisation, so without this the compiler leaves out stores that nothing else reads.
FORCE_INLINE void keep_stores() { asm volatile("" ::: "memory"); }

// The functions that are in no kernel's own code, because few calls reach them, are in runtime.h.

// Fails the launch.
[[noreturn]] __attribute__((noinline, cold)) void fail(const char* message, const char* file = "",
                                                       uint32_t line = 0);

// "circular buffer 5: <what>"
[[noreturn]] __attribute__((noinline, cold)) void fail_circular_buffer(uint32_t index,
                                                                       const char* what);

// Before what hardware lets pass: "circular buffer 5: <did> 3 pages, <but> 2". Returns when the
// device lets it pass as well. Less than none is none.
__attribute__((noinline, cold)) void tolerate_pages(uint32_t index, const char* did, uint32_t pages,
                                                    const char* but, int32_t limit);

// "circular buffer 5: <did> pages, but this core has none"
__attribute__((noinline, cold)) void tolerate_missing(uint32_t index, const char* did);
__attribute__((noinline, cold)) void tolerate_packet(uint32_t size, uint32_t limit);

[[noreturn]] __attribute__((noinline, cold)) void fail_semaphore(uint32_t id, uint32_t count);

// The L1 address of a pointer into L1: the base of every core's L1 is a multiple of 4 GiB.
template <typename T>
FORCE_INLINE uint32_t l1_address(const volatile T* pointer) {
  return static_cast<uint32_t>(reinterpret_cast<uint64_t>(pointer));
}

}  // namespace lightmetal::kernel
