#pragma once

#include <tt-metalium/buffer.hpp>
#include <tt-metalium/circular_buffer_types.hpp>
#include <tt-metalium/core_coord.hpp>

#include "host/buffer.h"
#include "host/circular_buffer.h"
#include "host/core_set.h"

// Values of the host API as the rules in host/ take them. The results are values of their own,
// which refer to nothing.
namespace tt::tt_metal {

// A coordinate that is too large for 32 bits becomes one that no grid has.
lightmetal::Core host_core(const CoreCoord& core);

// Throws std::runtime_error when the cores leave the largest grid; `what` ("kernel") names what is
// placed on them.
lightmetal::host::CoreSet host_cores(const CoreRangeSet& cores, const char* what);

// The circular buffer without its cores. `id` is the number that errors name.
lightmetal::host::CircularBuffer host_circular_buffer(uint64_t id,
                                                      const CircularBufferConfig& config);

// The rules know the types of memory by TT-Metalium's numbers.
constexpr lightmetal::host::BufferType host_type(BufferType type) {
  return static_cast<lightmetal::host::BufferType>(type);
}
// The buffer as it is now. Its device may be closed.
lightmetal::host::Buffer rules_of_buffer(const Buffer& buffer);
lightmetal::host::ShardSpec host_shard_spec(const ShardSpecBuffer& spec);
lightmetal::host::Distribution host_distribution(const BufferDistributionSpec& spec);

}  // namespace tt::tt_metal
