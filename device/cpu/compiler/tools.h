#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

// The programs that compile a kernel.
namespace lightmetal::device::cpu {

// Paths of executables.
struct Tools {
  std::string clang;
  std::string linker;
};

// Finds clang, and as linker the system's, else lld, which takes longer to start than it takes the
// other to link a kernel. `scratch` is a folder for what a program prints. FailedPrecondition when
// there is no clang of the right version or no linker.
absl::StatusOr<Tools> find_tools(const std::string& scratch);

// Runs one of them to its end. `command` has an option -o, and `kernel` is the name for messages.
// InvalidArgument with what the program prints when it fails, without the path of `scratch`;
// DeadlineExceeded when it takes longer than $LIGHTMETAL_CLANG_SECONDS, 600 without this variable.
absl::Status run_tool(const std::vector<std::string>& command, const std::string& scratch,
                      const std::string& kernel);

}  // namespace lightmetal::device::cpu
