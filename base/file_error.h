#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace lightmetal {

// "cannot ACTION PATH: REASON", with the code that belongs to `error`, a value of errno.
inline absl::Status file_error(absl::string_view action, absl::string_view path, int error) {
  return absl::ErrnoToStatus(error, absl::StrCat("cannot ", action, " ", path));
}

}  // namespace lightmetal
