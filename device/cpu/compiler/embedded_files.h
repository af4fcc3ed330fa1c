#pragma once

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

// Files that the build puts into the library, so that it works wherever it is installed or moved
// to.
namespace lightmetal::device::cpu {

struct EmbeddedFile {
  absl::string_view name;  // the path below the folder from which the file comes
  absl::string_view content;
};

absl::Span<const EmbeddedFile> kernel_headers();  // device/cpu/kernel_headers, and its table's
absl::Span<const EmbeddedFile> rebase_pass();     // one file: the pass plugin for clang

}  // namespace lightmetal::device::cpu
