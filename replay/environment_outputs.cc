#include "replay/environment_outputs.h"

#include "absl/strings/str_cat.h"
#include "base/output_variable.h"
#include "base/same_file.h"
#include "capture/environment.h"

namespace lightmetal::replay {
namespace {

bool writes_to(Output output, const std::string& path) {
  if (output == Output::kCapture) return capture::environment_captures_to(path);
  const std::string written = value_of(output);
  return !written.empty() && is_same_file(path, written);
}

}  // namespace

absl::Status check_environment_spares(const std::vector<std::string>& paths,
                                      absl::string_view process, absl::string_view use) {
  for (const Output output : kOutputs) {
    for (const std::string& path : paths) {
      if (!writes_to(output, path)) continue;
      return absl::FailedPreconditionError(absl::StrCat(
          variable_of(output), output == Output::kCapture ? " captures " : " has ", process,
          output == Output::kCapture ? " to " : " write to ", path, ", ", use, ": unset it"));
    }
  }
  return absl::OkStatus();
}

}  // namespace lightmetal::replay
