#pragma once

#include <tt-metalium/buffer.hpp>
#include <tt-metalium/global_circular_buffer.hpp>
#include <tt-metalium/global_semaphore.hpp>

#include "absl/functional/function_ref.h"

// What programs hold only handles of, for as long as LiveObjects::for_each keeps it from ending. No
// handle here keeps it alive: its end would be this thread's, where nothing is recorded. In the
// order of creation.
namespace tt::tt_metal {

// Those that still own their memory.
using VisitGlobalSemaphore = absl::FunctionRef<void(const GlobalSemaphore&, BufferType)>;
void for_each_global_semaphore(VisitGlobalSemaphore visit);

// With the buffer of the configurations.
using VisitGlobalCircularBuffer =
    absl::FunctionRef<void(const experimental::GlobalCircularBuffer&, const Buffer&)>;
void for_each_global_circular_buffer(VisitGlobalCircularBuffer visit);

}  // namespace tt::tt_metal
