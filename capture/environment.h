#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/compare_policy.h"
#include "base/payload_policy.h"

// Capture without a call: LIGHTMETAL_CAPTURE=FILE in the environment captures a program from its
// first call of the host API to its exit. Reads become goldens unless
// LIGHTMETAL_CAPTURE_READ_GOLDENS=0, and the file says where it comes from unless
// LIGHTMETAL_CAPTURE_ORIGIN=0. api/include/lightmetal/capture.hpp lists the other variables. In
// FILE, %p stands for the process id and %% for a percent sign.
//
// The file is created at the first recorded call. A failure is one line on standard error and
// changes nothing else; a variable with a wrong value begins no capture. A child that was forked
// never writes to its parent's file: it is captured to its own, if FILE has %p, and one line at its
// first call says that it is not captured otherwise. A program that the process becomes by exec
// writes to FILE.2, FILE.3 and so on.
namespace lightmetal::capture {

// What these variables say, for every capture that does not choose itself:
//   - LIGHTMETAL_CAPTURE_COMPRESS=LEVEL, 0 to 19; 0 when it is not set;
//   - LIGHTMETAL_CAPTURE_PAYLOADS=embed|reference|fail; embed when it is not set;
//   - LIGHTMETAL_CAPTURE_ORIGIN=0|1; 1 when it is not set;
//   - LIGHTMETAL_CAPTURE_GOLDEN=POLICY, as ComparePolicy::parse() takes it; exact when it is not
//   set.
// InvalidArgument, which names the variable, for anything else.
absl::StatusOr<int> environment_compression_level();
absl::StatusOr<PayloadPolicy> environment_payloads();
absl::StatusOr<bool> environment_records_origin();
absl::StatusOr<ComparePolicy> environment_golden_policy();

// True when the environment asked for a capture of this process to the file that `path` names, even
// if that capture has failed or ended. No other capture may write to that file: each would destroy
// what the other has written.
#ifdef LIGHTMETAL_ENABLE_CAPTURE
bool environment_captures_to(const std::string& path);
#else
inline bool environment_captures_to(const std::string&) { return false; }
#endif

// `path` with %p and %% replaced.
std::string expand_path(absl::string_view path, int process_id);

}  // namespace lightmetal::capture
