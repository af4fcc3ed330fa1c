#pragma once

#include <tt-metalium/buffer.hpp>
#include <tt-metalium/global_circular_buffer.hpp>
#include <tt-metalium/global_semaphore.hpp>

#include "absl/functional/function_ref.h"

// Objects of which programs hold only handles. The handle that a visitor gets is valid during the
// visit, in which LiveObjects::for_each keeps the object from ending, and it does not keep the
// object alive: the object would otherwise end on this thread, where its end is not recorded.
// Objects are visited in the order of creation.
namespace tt::tt_metal {

// Visits the global semaphores that still own their memory, with their buffer types.
using VisitGlobalSemaphore = absl::FunctionRef<void(const GlobalSemaphore&, BufferType)>;
void for_each_global_semaphore(VisitGlobalSemaphore visit);

// Visits the global circular buffers, with the buffers that hold their configurations.
using VisitGlobalCircularBuffer =
    absl::FunctionRef<void(const experimental::GlobalCircularBuffer&, const Buffer&)>;
void for_each_global_circular_buffer(VisitGlobalCircularBuffer visit);

}  // namespace tt::tt_metal
