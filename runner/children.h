#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "runner/suite_result.h"

namespace lightmetal::runner {

// Executes one file in a child. It may end the process in any way.
using ExecuteChild = absl::FunctionRef<Outcome(const std::string& file, Goldens& goldens)>;

// Executes each file in a forked child of its own, at most `jobs` at a time, and returns what came
// of each, in the order of `files`. What a child writes to standard output is dropped; the line on
// standard error that says why it did not pass becomes the message.
//
// SIGINT, SIGTERM and SIGHUP end the children; what they executed, and what was not begun, is
// kNotFinished. So does who has asked for it, where `asker` is the socket to that process, which
// sends nothing meanwhile: when it has gone. REQUIRES: this process has one thread.
std::vector<FileResult> execute_in_children(absl::Span<const std::string> files, size_t jobs,
                                            ExecuteChild execute, int asker = -1);

}  // namespace lightmetal::runner
