#pragma once

#include <cstdint>
#include <optional>
#include <tt-metalium/buffer.hpp>

namespace tt::tt_metal {

class IDevice;

// A queue of one device. What is enqueued runs in order on a thread of the queue's own. Errors of
// such work are thrown, once, by the next call that waits for the queue. Thread-safe; devices own
// their queues.
class CommandQueue {
 public:
  virtual ~CommandQueue() = default;

  // Its number on the device.
  virtual uint32_t id() const = 0;
  // The device trace that is being captured on this queue.
  virtual std::optional<uint32_t> tid() const = 0;
  virtual IDevice* device() = 0;
  virtual const IDevice* device() const = 0;
};

}  // namespace tt::tt_metal

// What upstream's header brings, too.
#include <tt-metalium/command_queue_interface.hpp>  // IWYU pragma: export
#include <tt-metalium/trace_buffer.hpp>             // IWYU pragma: export
