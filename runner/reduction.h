#pragma once

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "schema/verify/slicer.h"

namespace lightmetal::runner {

// Returns whether a file of these commands still fails. An error ends the reduction.
using StillFails = absl::FunctionRef<absl::StatusOr<bool>(const schema::Slicer::Commands& kept)>;

// Finds a small set of commands for which `fails` is true, as it is REQUIRED to be for all: first
// the shortest beginning of the file, found by halves; then what the last command of that needs, if
// that is enough; then delta debugging, which takes away pieces, ever smaller, with what names the
// objects that are gone, until no single command can go. No set is asked for twice.
absl::StatusOr<schema::Slicer::Commands> reduce_commands(const schema::Slicer& slicer,
                                                         StillFails fails);

}  // namespace lightmetal::runner
