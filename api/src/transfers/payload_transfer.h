#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <tt-metalium/buffer.hpp>
#include <tt-metalium/command_queue.hpp>
#include <tt-metalium/detail/payload.hpp>

#include "api/src/replay_hooks.h"
#include "api/src/work/queue_worker.h"
#include "base/digest.h"
#include "capture/capture.h"
#include "schema/commands/forward.h"

namespace tt::tt_metal {

// Where a write's bytes are until it is done.
struct WriteSource {
  lightmetal::Bytes bytes = {};
  // True: the caller keeps the bytes readable. False: `owner` does, or, without an owner,
  // write_region() copies the bytes unless the call blocks.
  bool stays = false;
  std::shared_ptr<const void> owner = nullptr;
};

// The copy between a region of a buffer and host memory, as work for a queue. There may be more
// bytes than the region takes, and not less. Throws std::runtime_error when queue, buffer, region
// and bytes do not go together.
Operation write_region(CommandQueue& cq, const Buffer& buffer, const BufferRegion& region,
                       const WriteSource& source, bool blocking);
Operation read_region(CommandQueue& cq, const Buffer& buffer, const BufferRegion& region,
                      std::span<std::byte> target);

// Reads the whole buffer, waits for the data, and records the comparison at the read's place in the
// queue. Where that place has to be recorded before the data are there, the comparison is left out,
// with a warning.
void read_to_compare(const lightmetal::capture::CallScope& scope, CommandQueue& cq, Buffer& buffer,
                     std::span<std::byte> target, const replay_hooks::Golden& golden);

// Throws unless the region lies within the buffer, begins and ends at pages, and is in memory.
void check_region(const Buffer& buffer, const BufferRegion& region);

// Throws, naming the sizes, when there are less bytes than the region takes.
void check_enough(const Buffer& buffer, const BufferRegion& region, size_t size);

constexpr lightmetal::schema::ElementType element_type(detail::PayloadType type) {
  return static_cast<lightmetal::schema::ElementType>(type);
}

inline BufferRegion whole(const Buffer& buffer) { return {0, buffer.size()}; }

}  // namespace tt::tt_metal
