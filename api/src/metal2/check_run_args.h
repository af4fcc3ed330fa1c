#pragma once

#include "api/src/metal2/made_program.h"

namespace tt::tt_metal::experimental::metal2 {

// The rules of what a program is given. Throw std::runtime_error for the first that is broken.
// `complete` is whether all arguments have to be there.
void check_run_args(const MadeProgram& program, const ProgramRunArgs& args, bool complete);
// The part of it about tensors.
void check_tensor_args(const MadeProgram& program, const ProgramRunArgs& args, bool complete);

}  // namespace tt::tt_metal::experimental::metal2
