#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "schema/file/reader.h"

namespace lightmetal::schema {

// The calls that were announced (FrameType::Intent) and that nothing in the file ends: neither the
// command of the call nor a CallFailed. In a file that was not closed they say where the program
// died, for each thread that was inside such a call. The `number` of each is that of the command
// after it. Of a file that announces more calls at a time than any program has threads, only the
// latest are returned.
absl::StatusOr<std::vector<CommandView>> open_intents(const File& file);

// The call in one line, such as "EnqueueProgram device=1 cq=0 program=3 ...".
std::string intent_in_words(const CommandView& intent);

}  // namespace lightmetal::schema
