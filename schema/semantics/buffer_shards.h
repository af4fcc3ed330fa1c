#pragma once

#include <utility>

#include "host/buffer.h"
#include "schema/command_generated.h"

// The shards of a buffer in a file as the rules of host/ take them.
namespace lightmetal::schema::semantics {

// True if the file has the specification that the buffer's layout needs; for interleaved buffers
// too.
bool has_shards(const BufferCreate& call);

host::ShardSpec spec_of(const ShardSpec& shard, host::CoreSet grid);
host::Distribution distribution_of(const BufferDistribution& distribution);

}  // namespace lightmetal::schema::semantics
