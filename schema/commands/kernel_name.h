#pragma once

#include "absl/strings/string_view.h"
#include "schema/command_generated.h"

namespace lightmetal::schema {

// Whether somebody who says `said` means the kernel that the command creates: by its id or its
// source, a path or the last components of it ("reader.cpp" for "kernels/reader.cpp").
bool names_kernel(absl::string_view said, const KernelCreate& kernel);

// Whether `said` may mean the kernel of a device trace, which has the file name of its source
// without the extension ("reader").
bool names_kernel(absl::string_view said, const TraceKernel& kernel);

}  // namespace lightmetal::schema
