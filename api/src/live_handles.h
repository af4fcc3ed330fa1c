#pragma once

#include <memory>
#include <tt-metalium/buffer.hpp>
#include <tt-metalium/global_circular_buffer.hpp>
#include <tt-metalium/global_semaphore.hpp>
#include <vector>

// Handles of what programs hold only handles of themselves. In the order of creation.
namespace tt::tt_metal {

struct LiveGlobalSemaphore {
  GlobalSemaphore semaphore;
  BufferType buffer_type;
};

// Those that still own their memory.
std::vector<LiveGlobalSemaphore> live_global_semaphores();

struct LiveGlobalCircularBuffer {
  experimental::GlobalCircularBuffer buffer;
  std::shared_ptr<const Buffer> config_buffer;
};

std::vector<LiveGlobalCircularBuffer> live_global_circular_buffers();

}  // namespace tt::tt_metal
