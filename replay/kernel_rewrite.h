#pragma once

#include <lightmetal/replay.hpp>
#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "replay/executor.h"
#include "schema/file/reader.h"

namespace lightmetal::replay {

// Calls `take` for each command of the file that gives a kernel its object, if one of
// `options.replace_kernels` is for this kernel, with the object that would run in its place: what a
// run with these options would have, errors included. Opens devices and makes the programs of these
// kernels, but launches nothing and writes nothing to devices. REQUIRES: verify() accepts the file,
// and no device that it opens is open in this process.
absl::Status for_each_replaced_kernel(const std::shared_ptr<const schema::File>& file,
                                      LoadOptions options,
                                      absl::FunctionRef<absl::Status(const ReplacedKernel&)> take);

}  // namespace lightmetal::replay
