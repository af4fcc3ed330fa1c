#pragma once

#include <string>
#include <tt-metalium/core_coord.hpp>
#include <tt-metalium/kernel.hpp>
#include <tt-metalium/program.hpp>

#include "api/src/objects/kernel_source.h"

namespace tt::tt_metal {

// Works as CreateKernel and, for a `source` from a string, as CreateKernelFromString, for a kernel
// that sees `declarations` before its own text. Captured as they are.
KernelHandle create_kernel_after(Program& program, std::string declarations, KernelText source,
                                 bool from_string, const CoreRangeSet& cores,
                                 const Kernel::Config& config);

}  // namespace tt::tt_metal
