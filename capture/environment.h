#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/payload_policy.h"

// Capture without a call: LIGHTMETAL_CAPTURE=FILE in the environment captures a program from its
// first call of the host API to its exit. Reads become goldens unless
// LIGHTMETAL_CAPTURE_READ_GOLDENS=0, and the file says where it comes from unless
// LIGHTMETAL_CAPTURE_ORIGIN=0. What else can be chosen stands in
// api/include/lightmetal/capture.hpp. %p in FILE stands for the process id,
// %% for a percent sign. The file is created at the first recorded call. Failures are one line on
// standard error and change nothing else; a variable that says nothing begins no capture. A child
// that was forked does not write to its parent's file, and a program that the process becomes by
// exec writes to FILE.2, FILE.3 and so on.
namespace lightmetal::capture {

// What LIGHTMETAL_CAPTURE_COMPRESS=LEVEL (0 to 19; 0 when it is not set),
// LIGHTMETAL_CAPTURE_PAYLOADS=embed|reference|fail (embed when it is not set) and
// LIGHTMETAL_CAPTURE_ORIGIN=0|1 (1 when it is not set) say, for every capture that does not choose
// itself. InvalidArgument, naming the variable, for anything else.
absl::StatusOr<int> environment_compression_level();
absl::StatusOr<PayloadPolicy> environment_payloads();
absl::StatusOr<bool> environment_records_origin();

// True when the environment asked for a capture of this process to the file that `path` names, even
// if that capture has failed or ended. No other capture may write to that file: the two would
// destroy each other's work.
#ifdef LIGHTMETAL_ENABLE_CAPTURE
bool environment_captures_to(const std::string& path);
#else
inline bool environment_captures_to(const std::string&) { return false; }
#endif

// `path` with %p and %% replaced.
std::string expand_path(absl::string_view path, int process_id);

}  // namespace lightmetal::capture
