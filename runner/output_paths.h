#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace lightmetal::runner {

// The files that a run writes. Not thread-safe.
class OutputPaths {
 public:
  // InvalidArgument when another output goes to this file, by whatever name; FailedPrecondition
  // when a variable of the environment has this process write to it.
  absl::Status add(const std::string& path);

 private:
  std::vector<std::string> paths_;
};

}  // namespace lightmetal::runner
