#pragma once

#include <cstdint>
#include <optional>
#include <tt-metalium/assert.hpp>  // IWYU pragma: export
#include <tt-metalium/buffer.hpp>
#include <tt-metalium/data_types.hpp>            // IWYU pragma: export
#include <tt-metalium/dispatch_core_common.hpp>  // IWYU pragma: export
#include <tt-metalium/trace_buffer.hpp>          // IWYU pragma: export
#include <tt-metalium/tt_align.hpp>              // IWYU pragma: export

namespace tt::tt_metal {

class IDevice;

// A queue of one device. What is enqueued runs in order on a thread of the queue's own. The first
// error of such work is thrown, once, by the next call that waits for the queue; work behind a
// failure still runs. Thread-safe; devices own their queues, and a queue lives as long as the
// process.
class CommandQueue {
 public:
  virtual ~CommandQueue() = default;

  // Its number on the device.
  virtual uint32_t id() const = 0;
  // The id of the device trace that is being captured on this queue; none while none is.
  virtual std::optional<uint32_t> tid() const = 0;
  virtual IDevice* device() = 0;
  virtual const IDevice* device() const = 0;
};

}  // namespace tt::tt_metal

// Upstream's header of early 2025 has this line, and programs leave out the namespace because of
// it.
using namespace tt::tt_metal;
