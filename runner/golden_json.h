#pragma once

#include <lightmetal/replay.hpp>

#include "schema/show/json.h"

namespace lightmetal::runner {

// Appends what a golden came to, as docs/golden-report.schema.json has it.
void append_golden(schema::JsonWriter& json, const GoldenResult& golden);

}  // namespace lightmetal::runner
