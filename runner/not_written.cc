#include "runner/not_written.h"

#include "absl/strings/str_cat.h"
#include "runner/command_line.h"

namespace lightmetal::runner {

int not_written(const std::string& path, const std::string& output, const ReplayResult& result) {
  for (const GoldenResult& mismatch : result.mismatches) {
    fail(absl::StrCat(path, ": command ", mismatch.command, ": ", mismatch.text()));
  }
  fail(absl::StrCat(output, " is not written: ", path, " does not replay as recorded"));
  return kDifference;
}

}  // namespace lightmetal::runner
