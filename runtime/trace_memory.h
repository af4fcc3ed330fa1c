#pragma once

#include <cstdint>
#include <vector>

#include "replay/loaded_file.h"
#include "runtime/plan.h"

namespace lightmetal::runtime {

// The commands that make buffers which load frees and a device trace of the file may use all the
// same: a word of it lies in their memory. The last comes first.
std::vector<uint64_t> freed_memory_of_traces(const replay::LoadedFile& file, const Plan& plan);

}  // namespace lightmetal::runtime
