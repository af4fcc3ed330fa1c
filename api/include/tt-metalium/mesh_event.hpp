#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <tt-metalium/event.hpp>
#include <tt-metalium/mesh_coord.hpp>
#include <tt-metalium/mesh_device.hpp>
#include <vector>

namespace tt::tt_metal::distributed {

// A point in a mesh command queue, reached when everything that was enqueued there before it has
// been done on all devices of its range. MeshCommandQueue::enqueue_record_event makes a mesh event;
// it is recorded once. A value: copies stand for the same point. Thread-safe.
class MeshEvent {
 public:
  // Queues make mesh events. REQUIRES: `events` were recorded in queues of one number, one for each
  // device of the range, in its order.
  MeshEvent(uint32_t id, std::vector<std::shared_ptr<Event>> events, MeshDevice* device,
            const MeshCoordinateRange& device_range);

  uint32_t id() const { return id_; }  // counts the events recorded in that queue
  // REQUIRES for its use: the mesh lives. An event may outlive its mesh, and is printed all the
  // same.
  MeshDevice* device() const { return device_; }
  int device_id() const { return device_id_; }  // the mesh's id(), for the implementation
  uint32_t mesh_cq_id() const;
  const MeshCoordinateRange& device_range() const { return device_range_; }
  MeshCoordinateRangeSet device_range_set() const { return MeshCoordinateRangeSet(device_range_); }
  // For the implementation: the events of the devices.
  const std::vector<std::shared_ptr<Event>>& events() const { return events_; }

 private:
  uint32_t id_;
  std::vector<std::shared_ptr<Event>> events_;
  MeshDevice* device_;
  int device_id_;
  MeshCoordinateRange device_range_;
};

std::ostream& operator<<(std::ostream& out, const MeshEvent& event);

}  // namespace tt::tt_metal::distributed
