#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "runner/command_line.h"
#include "schema/file/reader.h"

// The options of `run` that find faults in one replay: `--until`, `--sync`, `--continue-on-error`.
namespace lightmetal::runner {

void add_fault_options(cxxopts::Options& options);

// The value of --until, or a number beyond all commands without it. InvalidArgument when the file
// has no such command. Throws for what is no number.
absl::StatusOr<uint64_t> last_command(const cxxopts::ParseResult& arguments,
                                      const schema::File& file);

}  // namespace lightmetal::runner
