#pragma once

#include "runner/command_line.h"

// What options of `run` demand of the goldens that it compares.
namespace lightmetal::runner {

void add_require_goldens_option(cxxopts::Options& options);

// True if a run that compares no golden fails. Throws for an option with which no run compares any.
bool requires_goldens(const cxxopts::ParseResult& arguments);

// Throws if `arguments` have --update-golden and an option by which a run is not one run of the
// whole file as it is: OUT would then have new goldens beside old ones, or those of something else.
void check_whole_run(const cxxopts::ParseResult& arguments);

}  // namespace lightmetal::runner
