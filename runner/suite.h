#pragma once

#include <string>

#include "absl/functional/function_ref.h"
#include "runner/command_line.h"
#include "runner/rank_link.h"
#include "runner/suite_result.h"
#include "runner/watchdog.h"

// `run` of more than one file: each is replayed in a child process, several at a time, also by
// several ranks of MPI, and whatever becomes of one, the others go on.
namespace lightmetal::runner {

// Adds `--jobs`, `--timeout`, `--shard` and `--junit`.
void add_suite_options(cxxopts::Options& options);

// True when the arguments name more than one file, a folder or a pattern, or give one of the
// options of a suite, and when this process is a rank of an MPI job.
bool is_suite(const Arguments& arguments);

// Replays one file and returns its exit code.
using ReplayFile =
    absl::FunctionRef<int(const std::string& file, Watchdog& watchdog, Goldens& goldens)>;

// Replays the files, prints what came of them and returns the exit code: 0 when all have passed, 1
// when something differs and nothing is worse, 2 otherwise.
// In rank 0 of an MPI job, all its ranks replay them.
int run_suite(const Arguments& arguments, ReplayFile replay);

// Replays what rank 0 hands to this other rank, and returns the exit code.
int run_as_rank(const Arguments& arguments, RankLink& rank_0, ReplayFile replay);

}  // namespace lightmetal::runner
