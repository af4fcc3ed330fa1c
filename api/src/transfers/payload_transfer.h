#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <tt-metalium/buffer.hpp>
#include <tt-metalium/command_queue.hpp>
#include <tt-metalium/detail/payload.hpp>

#include "api/src/record/record.h"
#include "api/src/replay_hooks.h"
#include "api/src/work/queue_worker.h"
#include "base/digest.h"
#include "capture/capture.h"
#include "schema/commands/forward.h"

namespace tt::tt_metal {

// Where a write's bytes are until it is done.
struct WriteSource {
  lightmetal::Bytes bytes = {};
  // True: nobody changes the bytes until the device and the captures have them.
  bool is_fixed = false;
  // True: the caller keeps the bytes readable until the work is done, even in a call that does not
  // block.
  bool stays = false;
  // Keeps the bytes readable, if it is not null.
  std::shared_ptr<const void> owner = nullptr;
  // Where the program has the bytes, if `bytes` are a copy of them; else empty.
  lightmetal::Bytes given = {};

  Upload upload() const {
    return {given.empty() ? bytes : given, is_fixed ? bytes : lightmetal::Bytes()};
  }
};

// The first `size` bytes of the source as the device and the captures get them. A copy, where the
// program may change its memory before both have read it: in a call that returns before, and in one
// that is recorded. So a replay writes what the device was given, whatever other threads do to the
// memory meanwhile. Large data of a call that blocks are not copied: the file then has them as they
// were at some moment of the call. REQUIRES: source.bytes has `size` bytes.
WriteSource kept(const lightmetal::capture::CallScope& scope, const WriteSource& source,
                 uint64_t size, bool blocking);

// The copy between a region of a buffer and host memory, as work for a queue. There may be more
// bytes than the region takes, and not less; `source` becomes what kept() returns. Throws
// std::runtime_error when queue, buffer, region and bytes do not go together.
Operation write_region(const lightmetal::capture::CallScope& scope, CommandQueue& cq,
                       const Buffer& buffer, const BufferRegion& region, WriteSource& source,
                       bool blocking);
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
