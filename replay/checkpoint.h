#pragma once

#include <cstdint>
#include <lightmetal/replay.hpp>
#include <string>

#include "absl/status/status.h"
#include "replay/object_table.h"
#include "schema/file/reader.h"

// Checkpoints (<lightmetal/checkpoint.hpp>): files like any other, whose session says what they are
// a checkpoint of.
namespace lightmetal::replay {

// Writes a checkpoint to `path`, which loads with `options`. REQUIRES: `objects` are those that the
// commands before `number` have made, and no others live in this process.
absl::Status write_checkpoint(const schema::File& file, uint64_t number, ObjectTable& objects,
                              const std::string& path, const LoadOptions& options);

}  // namespace lightmetal::replay
