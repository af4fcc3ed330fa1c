#pragma once

#include <string>

#include "absl/strings/string_view.h"

// Capture without a call: LIGHTMETAL_CAPTURE=FILE in the environment captures a program from its
// first call of the host API to its exit. Reads become goldens unless
// LIGHTMETAL_CAPTURE_READ_GOLDENS=0. %p in FILE stands for the process id,
// %% for a percent sign. The file is created at the first recorded call. Failures are one line on
// standard error and change nothing else. A child that was forked does not write to its parent's
// file.
namespace lightmetal::capture {

// True when the environment asked for a capture of this process, whatever became of it.
bool environment_captures();

// The file that it named.
const std::string& environment_path();

// `path` with %p and %% replaced.
std::string expand_path(absl::string_view path, int process_id);

}  // namespace lightmetal::capture
