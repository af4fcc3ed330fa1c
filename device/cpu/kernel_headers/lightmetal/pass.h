#pragma once

#include "lightmetal/kernel.h"
#include "lightmetal_kernel_abi_diagnosis.h"

// What code that the rebase pass makes calls: each object has its own, but for lightmetal_yield(),
// which is in runtime.h.

extern "C" {

__attribute__((always_inline)) uint64_t lightmetal_l1_base() {
  return lightmetal::kernel::context()->l1_base;
}
__attribute__((always_inline)) void* lightmetal_variables() {
  return lightmetal::kernel::context()->variables;
}

#ifdef LIGHTMETAL_CHECK_UNINITIALIZED
// Called before each load and after each store; of what is in L1 the device is told.
__attribute__((noinline, used)) inline void lightmetal_l1_loaded(const void* place, uint64_t size) {
  auto* context = lightmetal::kernel::context();
  const uint64_t address = reinterpret_cast<uint64_t>(place) - context->l1_base;
  if (address >> 32 != 0) return;
  if ((context->checks & lightmetal::kernel_abi::kCheckUninitialized) == 0) return;
  context->services->diagnosis->l1_loaded(context, static_cast<uint32_t>(address),
                                          static_cast<uint32_t>(size));
}
__attribute__((noinline, used)) inline void lightmetal_l1_stored(const void* place, uint64_t size) {
  auto* context = lightmetal::kernel::context();
  const uint64_t address = reinterpret_cast<uint64_t>(place) - context->l1_base;
  if (address >> 32 != 0) return;
  if ((context->checks & lightmetal::kernel_abi::kCheckUninitialized) == 0) return;
  context->services->diagnosis->l1_stored(context, static_cast<uint32_t>(address),
                                          static_cast<uint32_t>(size));
}
#endif

}  // extern "C"
