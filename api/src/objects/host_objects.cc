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

namespace {

host::BufferLayout host_layout(const Buffer& buffer) {
  if (buffer.distribution() != nullptr) return host::BufferLayout::kNdSharded;
  return static_cast<host::BufferLayout>(buffer.buffer_layout());
}

// The shards of a buffer with a sharded layout; nullopt when it has no specification, which a rule
// is going to refuse.
std::optional<host::Shards> shards_of(const Buffer& buffer) {
  if (const BufferDistributionSpec* spec = buffer.distribution()) {
    const auto dealt = host::DealtShards::of(host_distribution(*spec));
    return host::shards_of(dealt.value());  // the specification has been checked when it was made
  }
  const std::optional<ShardSpecBuffer>& spec = buffer.given_sharding().shard_spec();
  if (!spec.has_value()) return std::nullopt;
  const auto [height, width] = spec->shape_in_pages();
  const auto& tensor = spec->tensor2d_shape_in_pages;
  return host::Shards{spec->grid().num_cores(), height, width, tensor[0], tensor[1]};
}

}  // namespace

host::Buffer rules_of_buffer(const Buffer& buffer) {
  host::Buffer made{.id = buffer.unique_id(),
                    .size = buffer.size(),
                    .page_size = buffer.page_size(),
                    .address = buffer.address(),
                    .type = host_type(buffer.buffer_type()),
                    .layout = host_layout(buffer)};
  made.banks = host::banks_of(profile_of_device(*buffer.device()), made.type);
  if (host::is_sharded(made.layout)) made.shards = shards_of(buffer);
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
