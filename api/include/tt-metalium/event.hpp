#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace tt::tt_metal {

class IDevice;
class EventProgress;

// A point in a command queue. An event is made empty, put into a queue by EnqueueRecordEvent, and
// reached when everything that was enqueued there before it has been done. It may be recorded
// again; a queue that waits then still waits for the recording that it was given. REQUIRES: one
// thread at a time records an event, and none reads the members below meanwhile. Everything else is
// thread-safe. An event may go while queues still wait for it.
struct Event {
  Event();
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  IDevice* device = nullptr;        // where it was recorded last; nullptr before
  uint32_t cq_id = UINT32_MAX;      // the queue of that device
  uint32_t event_id = UINT32_MAX;   // counts the events recorded in that queue
  std::atomic<bool> ready = false;  // true once recorded: device, cq_id and event_id are set

  // Waits until the event has been recorded, not until it has been reached.
  void wait_until_ready() const;

  // Unique among the events of the process, also after this one is gone.
  uint64_t unique_id() const { return unique_id_; }
  // For the queues: how far the event has come.
  const std::shared_ptr<EventProgress>& progress() const { return progress_; }

 private:
  uint64_t unique_id_;
  std::shared_ptr<EventProgress> progress_;
};

}  // namespace tt::tt_metal
