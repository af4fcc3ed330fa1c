#include "runtime/moved_buffers.h"

#include <algorithm>

namespace lightmetal::runtime {

void MovedBuffers::add(uint64_t recorded_address, const tt::tt_metal::Buffer& buffer) {
  moved_.push_back({.device = buffer.device(),
                    .type = buffer.buffer_type(),
                    .recorded = recorded_address,
                    .size = buffer.aligned_size_per_bank(),
                    .address = buffer.address()});
}

uint64_t MovedBuffers::address_of(const tt::tt_metal::replay_hooks::RecordedBuffer& view) const {
  const uint64_t given = *view.address;
  // Of several that were recorded in one place, one after the other, the last counts.
  const auto found = std::find_if(moved_.rbegin(), moved_.rend(), [&](const Moved& moved) {
    return moved.device == view.device && moved.type == view.buffer_type &&
           given >= moved.recorded && given - moved.recorded < moved.size;
  });
  return found == moved_.rend() ? given : found->address + (given - found->recorded);
}

}  // namespace lightmetal::runtime
