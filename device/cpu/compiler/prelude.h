#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "device/cpu/compiler/files.h"
#include "device/cpu/compiler/tools.h"

// What kernels take for granted (wrapper.h) is most of what clang reads of a small kernel, so clang
// compiles it once and loads the result for each kernel. What it compiles of every kernel alike
// (lightmetal/runtime.h) would be most of its work, so that is an object of its own.
namespace lightmetal::device::cpu {

// The file, beside the toolbox, of what clang has made of a prelude with certain flags. It is made
// unless that was done before, by any process, and the file is whole. `scratch` is as in
// run_tool(), whose errors are returned when the prelude does not compile. Thread-safe: one thread
// at a time makes a file.
absl::StatusOr<std::string> compiled_prelude(const std::string& text,
                                             const std::vector<std::string>& flags,
                                             const Tools& tools, const Toolbox& toolbox,
                                             const std::string& scratch);

// The same for the object that each kernel is linked with.
absl::StatusOr<std::string> compiled_runtime(const std::vector<std::string>& flags,
                                             const Tools& tools, const Toolbox& toolbox,
                                             const std::string& scratch);

// Whether clang, by its messages, cannot load such a file, as when somebody has damaged it, or
// after an update of clang that left its path, time and size alone. Then the file is to be made
// again.
bool cannot_be_loaded(absl::string_view compiled_prelude, absl::string_view messages);

}  // namespace lightmetal::device::cpu
