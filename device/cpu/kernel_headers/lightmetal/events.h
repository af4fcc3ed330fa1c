#pragma once

#include "lightmetal/kernel.h"
#include "lightmetal_kernel_abi_diagnosis.h"

// Profiler zones and watcher calls: they change nothing in what a kernel does, and the device can
// be asked to count them (LIGHTMETAL_CPU_DEVICE_EVENTS).

namespace lightmetal::kernel {

FORCE_INLINE void count_event(kernel_abi::Event event, const char* name) {
  if ((context()->checks & kernel_abi::kCountEvents) == 0) [[likely]]
    return;
  context()->services->diagnosis->count_event(context(), event, name);
}

FORCE_INLINE void count_watcher_event(const char* name) {
  count_event(kernel_abi::Event::kWatcher, name);
}

}  // namespace lightmetal::kernel
