#pragma once

// The data-movement kernel API of TT-Metalium, early 2025 and before, with the later names.

#include "api/core_local_mem.h"
#include "api/dataflow/circular_buffer.h"
#include "api/dataflow/noc.h"
#include "api/semaphore.h"
#include "debug/assert.h"
#include "debug/dprint.h"
#include "debug/sanitize_noc.h"
#include "debug/waypoint.h"
#include "hostdevcommon/common_values.hpp"
#include "lightmetal/address_generators.h"
#include "lightmetal/args.h"
#include "lightmetal/circular_buffers.h"
#include "lightmetal/noc.h"
#include "lightmetal/noc_registers.h"
#include "lightmetal/remote_circular_buffers.h"
#include "lightmetal/semaphores.h"
#include "lightmetal/tensor_accessor.h"
#include "risc_common.h"
#include "tools/profiler/kernel_profiler.hpp"
#include "utils/utils.h"

// L1 addresses; also without reserving or waiting, as scratch memory. 0 for a circular buffer that
// this core has not.
FORCE_INLINE uint32_t get_write_ptr(uint32_t operand) {
  return lightmetal::kernel::circular_buffer(static_cast<int32_t>(operand)).write_ptr;
}

FORCE_INLINE uint32_t get_read_ptr(uint32_t operand) {
  return lightmetal::kernel::circular_buffer(static_cast<int32_t>(operand)).read_ptr;
}
