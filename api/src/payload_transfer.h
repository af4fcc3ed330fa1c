#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <tt-metalium/buffer.hpp>
#include <tt-metalium/command_queue.hpp>
#include <tt-metalium/payload.hpp>

#include "absl/functional/function_ref.h"
#include "base/digest.h"
#include "schema/command_generated.h"

namespace tt::tt_metal {

// Where a write's bytes are until it is done.
struct WriteSource {
  lightmetal::Bytes bytes = {};
  // True: the caller keeps them readable. False: `owner` does, or, without an owner, a copy is made
  // unless the call blocks.
  bool stays = false;
  std::shared_ptr<const void> owner = nullptr;
};

// Copies between a region of a buffer and host memory, in a queue's order. The bytes may be more
// than the region takes, not less. Throws std::runtime_error when queue, buffer, region and bytes
// do not go together; when they do, `hand_over` is called before the queue has its work.
void write_region(CommandQueue& cq, const Buffer& buffer, const BufferRegion& region,
                  const WriteSource& source, bool blocking, absl::FunctionRef<void()> hand_over);

// Whether a read waits for its data, and gives up where they may never come.
enum class ReadWait { kNone, kPatient, kUntilDone };
// True when the data are there.
bool read_region(CommandQueue& cq, const Buffer& buffer, const BufferRegion& region,
                 std::span<std::byte> target, ReadWait wait);

// Throws when there are less bytes than the region takes: the sizes are named.
void check_enough(const Buffer& buffer, const BufferRegion& region, size_t size);

constexpr lightmetal::schema::ElementType element_type(detail::PayloadType type) {
  return static_cast<lightmetal::schema::ElementType>(type);
}

inline BufferRegion whole(const Buffer& buffer) { return {0, buffer.size()}; }

}  // namespace tt::tt_metal
