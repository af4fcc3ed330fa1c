#include "runner/output_paths.h"

#include "absl/strings/str_cat.h"
#include "base/same_file.h"
#include "replay/environment_outputs.h"

namespace lightmetal::runner {

absl::Status OutputPaths::add(const std::string& path) {
  for (const std::string& other : paths_) {
    if (is_same_file(path, other) || path == other)
      return absl::InvalidArgumentError(absl::StrCat("two outputs go to ", path));
  }
  paths_.push_back(path);
  return replay::check_environment_spares({path}, "this run", "which it writes");
}

}  // namespace lightmetal::runner
