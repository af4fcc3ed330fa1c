#pragma once

#include "lightmetal/events.h"
#include "lightmetal/semaphores.h"  // riscv_wait

// Explicit checks by the hardware's watcher. Here every transfer is checked when it is done, so
// these are only counted.
#define DEBUG_SANITIZE_NOC_ADDR(...) \
  ::lightmetal::kernel::count_watcher_event("DEBUG_SANITIZE_NOC_ADDR")
#define DEBUG_SANITIZE_WORKER_ADDR(...) \
  ::lightmetal::kernel::count_watcher_event("DEBUG_SANITIZE_WORKER_ADDR")
#define DEBUG_SANITIZE_NOC_TRANSACTION(...) \
  ::lightmetal::kernel::count_watcher_event("DEBUG_SANITIZE_NOC_TRANSACTION")
#define DEBUG_SANITIZE_NOC_READ_TRANSACTION(...) \
  ::lightmetal::kernel::count_watcher_event("DEBUG_SANITIZE_NOC_READ_TRANSACTION")
#define DEBUG_SANITIZE_NOC_WRITE_TRANSACTION(...) \
  ::lightmetal::kernel::count_watcher_event("DEBUG_SANITIZE_NOC_WRITE_TRANSACTION")
#define DEBUG_SANITIZE_NOC_MULTI_READ_TRANSACTION(...) \
  ::lightmetal::kernel::count_watcher_event("DEBUG_SANITIZE_NOC_MULTI_READ_TRANSACTION")
#define DEBUG_SANITIZE_NOC_MULTI_WRITE_TRANSACTION(...) \
  ::lightmetal::kernel::count_watcher_event("DEBUG_SANITIZE_NOC_MULTI_WRITE_TRANSACTION")
#define DEBUG_INSERT_DELAY(transaction_type) \
  ::lightmetal::kernel::count_watcher_event("DEBUG_INSERT_DELAY")
