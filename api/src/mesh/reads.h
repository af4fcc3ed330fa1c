#pragma once

#include <exception>
#include <functional>
#include <tt-metalium/buffer.hpp>
#include <tt-metalium/command_queue.hpp>
#include <tt-metalium/host_api.hpp>
#include <vector>

namespace tt::tt_metal::distributed {

// The read of one device's part of a mesh buffer.
struct PartRead {
  CommandQueue* queue = nullptr;  // of the device
  std::function<void(CommandQueue&)> enqueue;
};

// Enqueues the reads one after the other. When one throws, waits until those before it are done,
// because their targets may end with the exception; then the exception goes on. Errors of the
// queues that are waited for are not thrown: the first error is.
inline void enqueue_reads(const std::vector<PartRead>& reads) {
  size_t enqueued = 0;
  try {
    for (const PartRead& read : reads) {
      read.enqueue(*read.queue);
      ++enqueued;
    }
  } catch (...) {
    for (size_t i = 0; i < enqueued; ++i) {
      try {
        Finish(*reads[i].queue);
      } catch (const std::exception&) {
        // The queue has come to its end, which is what counts here.
      }
    }
    throw;
  }
}

}  // namespace tt::tt_metal::distributed
