#pragma once

#include "absl/types/span.h"
#include "base/embedded_file.h"

// Files that the build puts into the library, so that it works wherever it is installed or moved
// to.
namespace lightmetal::device::cpu {

absl::Span<const EmbeddedFile> kernel_headers();  // device/cpu/kernel_headers, and its table's
absl::Span<const EmbeddedFile> rebase_pass();     // one file: the pass plugin for clang

}  // namespace lightmetal::device::cpu
