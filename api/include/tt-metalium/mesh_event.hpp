#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <tt-metalium/event.hpp>
#include <tt-metalium/mesh_coord.hpp>
#include <tt-metalium/mesh_device.hpp>

namespace tt::tt_metal::distributed {

// A point in a mesh command queue, reached when everything that was enqueued there before it has
// been done. MeshCommandQueue::enqueue_record_event makes a mesh event; it is recorded once. A
// value: copies stand for the same point. Thread-safe.
class MeshEvent {
 public:
  // Queues make mesh events. REQUIRES: `event` was recorded in a queue of that mesh.
  MeshEvent(std::shared_ptr<Event> event, MeshDevice* device,
            const MeshCoordinateRange& device_range);

  uint32_t id() const;  // counts the events recorded in that queue
  MeshDevice* device() const { return device_; }
  uint32_t mesh_cq_id() const;
  const MeshCoordinateRange& device_range() const { return device_range_; }
  // For the implementation: the event that the queue waits for.
  const std::shared_ptr<Event>& event() const { return event_; }

 private:
  std::shared_ptr<Event> event_;
  MeshDevice* device_;
  MeshCoordinateRange device_range_;
};

std::ostream& operator<<(std::ostream& out, const MeshEvent& event);

}  // namespace tt::tt_metal::distributed
