#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "schema/file/reader.h"

namespace lightmetal::schema {

// Calls that were announced (FrameType::Intent) and that nothing in the file ends: neither the
// command of the call nor a CallFailed. In a file that was not closed they are where the program
// died, in each thread that was inside such a call. `number` of each is that of the command behind
// it. A file that announces more calls at a time than any program has threads shows the latest.
absl::StatusOr<std::vector<CommandView>> open_intents(const File& file);

// "EnqueueProgram device=1 cq=0 program=3 ..."
std::string intent_in_words(const CommandView& intent);

}  // namespace lightmetal::schema
