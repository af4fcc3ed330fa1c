#pragma once

#include "lightmetal/events.h"

// Values for the hardware's watcher; evaluated and counted, not kept.
#define WATCHER_RING_BUFFER_PUSH(value)                                    \
  do {                                                                     \
    static_cast<void>(value);                                              \
    ::lightmetal::kernel::count_watcher_event("WATCHER_RING_BUFFER_PUSH"); \
  } while (false)
