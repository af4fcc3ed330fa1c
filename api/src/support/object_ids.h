#pragma once

#include <cstdint>
#include <tt-metalium/host_api.hpp>

#include "base/digest.h"

// The ids under which a capture names objects: unique in the process within their kind, never 0,
// never reused, unchanged by moves. Buffers, kernels, events and global semaphores have
// unique_id(), programs get_id(); a circular buffer is its handle.
namespace tt::tt_metal {

uint64_t unique_id_of(const IDevice& device);

// XXH3-128 of the kernel's source text, as it was read or recorded.
const lightmetal::Digest& source_digest_of(const Kernel& kernel);

// Null when the device has no such trace. Valid until the trace is released.
const TraceDescriptor* find_trace(const IDevice& device, uint32_t trace_id);

}  // namespace tt::tt_metal
