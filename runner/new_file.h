#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "schema/storage/output_file.h"

namespace lightmetal::runner {

// Gives a file that was written its name `output` when verify() accepts it: what is no file that
// runs gets none.
absl::Status finish_verified(schema::OutputFile& file, const std::string& output,
                             uint64_t memory_limit);

}  // namespace lightmetal::runner
