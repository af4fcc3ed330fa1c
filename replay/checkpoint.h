#pragma once

#include <cstdint>
#include <lightmetal/replay.hpp>

#include "absl/status/status.h"
#include "replay/object_table.h"
#include "schema/file/reader.h"

// Checkpoints (<lightmetal/checkpoint.hpp>): files like any other, whose session says what they are
// a checkpoint of.
namespace lightmetal::replay {

// Writes the checkpoint that the options ask for. REQUIRES: `objects` are those that the commands
// before `number` have made, and no others live in this process.
absl::Status write_checkpoint(const schema::File& file, uint64_t number, ObjectTable& objects,
                              const ReplayOptions& options);

}  // namespace lightmetal::replay
