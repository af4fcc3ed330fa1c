#pragma once

#include <string>

#include "runner/command_line.h"
#include "runner/trust.h"
#include "runner/watchdog.h"

// `run --compare-with DEVICE|FILE`: the first command after which two replays differ.
namespace lightmetal::runner {

void add_compare_options(cxxopts::Options& options);

bool is_comparison(const cxxopts::ParseResult& arguments);

// Replays FILE and what it is compared with, says where they part, and returns the exit code.
// Throws for options of `run` that mean nothing here.
int compare_runs(const cxxopts::ParseResult& arguments, const std::string& path,
                 const TrustPolicy& policy, Watchdog& watchdog);

}  // namespace lightmetal::runner
