#pragma once

#include <tt-metalium/buffer.hpp>
#include <tt-metalium/circular_buffer_types.hpp>
#include <tt-metalium/core_coord.hpp>

#include "host/buffer.h"
#include "host/circular_buffer.h"
#include "host/core_set.h"

// Values of the host API as the rules in host/ take them.
namespace tt::tt_metal {

// A coordinate that is too large for a core is one that no grid has.
lightmetal::Core host_core(const CoreCoord& core);

// Throws std::runtime_error when the cores leave the largest grid; `what` ("kernel") is on them.
lightmetal::host::CoreSet host_cores(const CoreRangeSet& cores, const char* what);

// Without cores. `id` is as errors name it.
lightmetal::host::CircularBuffer host_circular_buffer(uint64_t id,
                                                      const CircularBufferConfig& config);

// As it is now. Its device may be closed.
lightmetal::host::Buffer host_buffer(const Buffer& buffer);
lightmetal::host::ShardSpec host_shard_spec(const ShardSpecBuffer& spec);

}  // namespace tt::tt_metal
