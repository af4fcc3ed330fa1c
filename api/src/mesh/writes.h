#pragma once

#include <algorithm>
#include <functional>
#include <tt-metalium/command_queue.hpp>
#include <tt-metalium/host_api.hpp>
#include <vector>

#include "api/src/mesh/each_device.h"
#include "api/src/mesh/mesh_turn.h"

namespace tt::tt_metal::distributed {

// The write of one device's part of a mesh buffer.
struct PartWrite {
  CommandQueue* queue = nullptr;  // of the device
  std::function<void(CommandQueue&, bool blocking)> enqueue;
};

// Enqueues the writes as one unit and, with `blocking`, waits for them. Devices write at the same
// time: several are waited for when all of them have theirs.
inline void enqueue_writes(const std::vector<PartWrite>& writes, bool blocking) {
  std::vector<IDevice*> devices;
  std::vector<CommandQueue*> queues;
  for (const PartWrite& write : writes) {
    devices.push_back(write.queue->device());
    if (std::ranges::find(queues, write.queue) == queues.end()) queues.push_back(write.queue);
  }
  const bool waits_at_once = blocking && queues.size() == 1;
  {
    const MeshTurn turn(devices);
    for (const PartWrite& write : writes) write.enqueue(*write.queue, waits_at_once);
  }
  if (blocking && !waits_at_once) {
    for_each_device(queues, [](CommandQueue& queue) { Finish(queue); });
  }
}

}  // namespace tt::tt_metal::distributed
