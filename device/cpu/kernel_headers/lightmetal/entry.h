#pragma once

#include "lightmetal/kernel.h"
#include "lightmetal_kernel_abi_diagnosis.h"

// Stands behind the kernel's text: the functions that a kernel object exports, and those that the
// rebase pass calls or defines.

extern "C" {

// Called by code that the pass makes.
__attribute__((always_inline)) uint64_t lightmetal_l1_base() {
  return lightmetal::kernel::context()->l1_base;
}
__attribute__((always_inline)) void* lightmetal_variables() {
  return lightmetal::kernel::context()->variables;
}

__attribute__((noinline)) void lightmetal_yield() {
  lightmetal::kernel::context()->services->yield(lightmetal::kernel::context());
  if (lightmetal::kernel::hooks().after_yield != nullptr) lightmetal::kernel::hooks().after_yield();
}

#ifdef LIGHTMETAL_CHECK_UNINITIALIZED
// Called before each load and after each store; of what is in L1 the device is told.
__attribute__((noinline, used)) void lightmetal_l1_loaded(const void* place, uint64_t size) {
  auto* context = lightmetal::kernel::context();
  const uint64_t address = reinterpret_cast<uint64_t>(place) - context->l1_base;
  if (address >> 32 != 0) return;
  if ((context->checks & lightmetal::kernel_abi::kCheckUninitialized) == 0) return;
  context->services->diagnosis->l1_loaded(context, static_cast<uint32_t>(address),
                                          static_cast<uint32_t>(size));
}
__attribute__((noinline, used)) void lightmetal_l1_stored(const void* place, uint64_t size) {
  auto* context = lightmetal::kernel::context();
  const uint64_t address = reinterpret_cast<uint64_t>(place) - context->l1_base;
  if (address >> 32 != 0) return;
  if ((context->checks & lightmetal::kernel_abi::kCheckUninitialized) == 0) return;
  context->services->diagnosis->l1_stored(context, static_cast<uint32_t>(address),
                                          static_cast<uint32_t>(size));
}
#endif

// Defined by the pass.
uint64_t lightmetal_variables_size();
void lightmetal_init_variables();
void lightmetal_run_constructors();

extern const uint32_t lightmetal_kernel_version;
__attribute__((visibility("default"), used)) const uint32_t lightmetal_kernel_version =
    lightmetal::kernel_abi::kVersion;

}  // extern "C"

#ifdef NAMESPACE
namespace NAMESPACE {}
#endif

namespace lightmetal::kernel {

// kernel_main is the kernel's, at top level or in NAMESPACE.
FORCE_INLINE void run_kernel() {
#ifdef NAMESPACE
  using namespace NAMESPACE;
#endif
  kernel_main();
  settle_reservations();
}

// The headers' constants are those of a device.
FORCE_INLINE void check_alignments() {
  if (context()->dram_alignment != DRAM_ALIGNMENT || context()->l1_alignment != L1_ALIGNMENT) {
    fail("the kernel was compiled for a device with other memory alignments");
  }
}

// Double-buffered DST gives a kernel half of it, and 32-bit values take twice the room.
FORCE_INLINE void set_dst_tiles() {
#ifdef COMPILE_FOR_TRISC
  context()->dst_tiles = kernel_abi::kDstTiles / (DST_FULL_SYNC ? 1 : 2) / (DST_ACCUM_MODE ? 2 : 1);
#endif
}

}  // namespace lightmetal::kernel

extern "C" __attribute__((visibility("default"), used)) void lightmetal_kernel_entry() {
  lightmetal::kernel::check_alignments();
  lightmetal::kernel::set_dst_tiles();
  auto* hooks = static_cast<lightmetal::kernel::Hooks*>(__builtin_alloca_with_align(
      sizeof(lightmetal::kernel::Hooks) + lightmetal_variables_size(), 512));
  *hooks = {};
  lightmetal::kernel::context()->variables = hooks + 1;
  lightmetal_init_variables();
  lightmetal_run_constructors();
  lightmetal::kernel::run_kernel();
  if (lightmetal::kernel::hooks().at_end != nullptr) lightmetal::kernel::hooks().at_end();
}
