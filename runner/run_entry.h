#pragma once

#include "runner/command_line.h"
#include "runner/trust.h"

// `run --input NAME=FILE --output NAME=FILE --entry NAME`: the file as an executable, of which one
// entry is run with values for its inputs.
namespace lightmetal::runner {

// Adds --input and --entry; --output is one of the options of goldens.
void add_entry_options(cxxopts::Options& options);

// Whether one of these options asks for it.
bool runs_entry(const cxxopts::ParseResult& arguments);

// Throws for options of `run` that are for a replay of the whole file.
int run_entry(const cxxopts::ParseResult& arguments, TrustPolicy policy);

}  // namespace lightmetal::runner
