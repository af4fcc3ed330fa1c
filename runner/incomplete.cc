#include "runner/incomplete.h"

#include "absl/strings/str_cat.h"
#include "runner/command_line.h"

namespace lightmetal::runner {

void warn_if_incomplete(const schema::File& file) {
  if (file.complete()) return;
  warn(absl::StrCat(file.name(), ": warning: it is incomplete: ", file.incomplete_reason()));
}

}  // namespace lightmetal::runner
