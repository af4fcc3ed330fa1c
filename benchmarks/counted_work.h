#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <tt-metalium/host_api.hpp>

#include "schema/command_generated.h"
#include "schema/file/reader.h"

// Counts of what a captured file does, for benchmarks that check how much they timed. All throw
// std::runtime_error for a file that cannot be read.
namespace lightmetal::bench {

using FilePointer = std::shared_ptr<const schema::File>;

// Opens a capture that was kept in memory.
FilePointer opened(const tt::tt_metal::LightMetalBinary& binary);

// Returns how many commands of `file` are of one of these kinds.
uint64_t commands_of(const schema::File& file, std::initializer_list<schema::Call> kinds);

// Returns how many programs a replay of `file` launches. A replayed trace counts as its launches.
uint64_t launches_of(const schema::File& file);

// Returns how many bytes the commands EnqueueWriteBuffer of `file` write.
uint64_t written_bytes_of(const schema::File& file);

// Makes the calls of `round` once more, captured, and returns how many programs they launch.
uint64_t launches_in(const std::function<size_t()>& round);

}  // namespace lightmetal::bench
