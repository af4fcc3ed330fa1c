#include "api/src/objects/host_objects.h"

#include <algorithm>
#include <limits>
#include <tt-metalium/circular_buffer_constants.hpp>
#include <tt-metalium/semaphore.hpp>

#include "absl/strings/str_cat.h"
#include "api/src/objects/device_access.h"
#include "api/src/support/errors.h"
#include "host/program.h"

namespace tt::tt_metal {

namespace host = lightmetal::host;

static_assert(NUM_CIRCULAR_BUFFERS == host::kNumCircularBuffers);
static_assert(NUM_SEMAPHORES == host::kNumSemaphores);

lightmetal::Core host_core(const CoreCoord& core) {
  // Cut to the largest number of 32 bits: a rule refuses it then, and nothing wraps around to a
  // core that exists.
  constexpr size_t kMost = std::numeric_limits<uint32_t>::max();
  return {static_cast<uint32_t>(std::min(core.x, kMost)),
          static_cast<uint32_t>(std::min(core.y, kMost))};
}

host::CoreSet host_cores(const CoreRangeSet& cores, const char* what) {
  host::CoreSet set;
  for (const CoreRange& range : cores.ranges()) {
    const absl::Status status =
        set.add_range(host_core(range.start_coord), host_core(range.end_coord));
    if (status.ok()) continue;
    throw_if_error(absl::Status(status.code(),
                                absl::StrCat("A ", what, " cannot be placed: ", status.message())));
  }
  return set;
}

host::CircularBuffer host_circular_buffer(uint64_t id, const CircularBufferConfig& config) {
  host::CircularBuffer buffer{.id = id, .total_size = config.total_size()};
  for (const uint8_t index : config.local_buffer_indices()) buffer.local.add(index);
  for (const uint8_t index : config.remote_buffer_indices()) buffer.remote.add(index);
  for (size_t index = 0; index < buffer.page_sizes.size(); ++index) {
    buffer.page_sizes[index] = config.page_sizes()[index].value_or(0);
  }
  if (const auto address = config.globally_allocated_address()) {
    buffer.given = {*address, config.globally_allocated_buffer_size()};
  }
  return buffer;
}

host::Buffer rules_of_buffer(const Buffer& buffer) {
  host::Buffer made{.id = buffer.unique_id(),
                    .size = buffer.size(),
                    .page_size = buffer.page_size(),
                    .address = buffer.address(),
                    .type = host_type(buffer.buffer_type()),
                    .layout = static_cast<host::BufferLayout>(buffer.buffer_layout())};
  made.banks = host::banks_of(profile_of_device(*buffer.device()), made.type);
  if (const auto& spec = buffer.given_shard_spec(); spec && host::is_sharded(made.layout)) {
    const auto [height, width] = spec->shape_in_pages();
    const auto& tensor = spec->tensor2d_shape_in_pages;
    made.shards = {spec->grid().num_cores(), height, width, tensor[0], tensor[1]};
  }
  return made;
}

host::ShardSpec host_shard_spec(const ShardSpecBuffer& spec) {
  const auto [height, width] = spec.shape();
  return {.grid = host_cores(spec.grid(), "buffer"),
          .height = height,
          .width = width,
          .page_height = spec.page_shape[0],
          .page_width = spec.page_shape[1],
          .tensor_height = spec.tensor2d_shape_in_pages[0],
          .tensor_width = spec.tensor2d_shape_in_pages[1]};
}

}  // namespace tt::tt_metal
