#pragma once

#include "absl/strings/string_view.h"
#include "base/output_variable.h"

namespace lightmetal::device::cpu {

// Opens the file that the environment names, which takes lines about what kernels do, makes it when
// it is missing, and returns its descriptor, which belongs to the caller. The first device of a
// process that opens the file empties it and writes `heading`, and all later ones append, so that
// one run of a program leaves one file. Two spellings of one path count as two files. -1, with
// errno, when the file cannot be opened or takes no heading. Thread-safe. REQUIRES:
// value_of(output) is not empty.
int open_appended_file(Output output, absl::string_view heading);

}  // namespace lightmetal::device::cpu
