#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lightmetal::replay {

// Returns OK unless a variable of the environment (base/output_variable.h) has this process write
// to one of `paths`, by whatever name. FailedPrecondition says so in a sentence with `process` and
// `use`: "LIGHTMETAL_CAPTURE captures this run to FILE, which it reads: unset it".
absl::Status check_environment_spares(const std::vector<std::string>& paths,
                                      absl::string_view process, absl::string_view use);

}  // namespace lightmetal::replay
