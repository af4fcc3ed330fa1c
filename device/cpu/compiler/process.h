#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace lightmetal::device::cpu {

// The executable called `name`: itself when it is a path, else the first in PATH. Empty when there
// is none.
std::string find_program(const std::string& name);

inline constexpr int kUnknownStatus = -1;

// Runs a program to its end, standard output and error into the file `output`, with an environment
// that cannot change what a compiler makes. Gives the exit status, 128 plus the signal's number for
// one that was killed, kUnknownStatus where this process lets nobody know: it ignores SIGCHLD, or
// another thread of it waits for every child. Unavailable when it cannot be started,
// DeadlineExceeded when it was ended because it took longer than `limit` (where the system can wait
// so; Linux 5.3 can).
absl::StatusOr<int> run_program(const std::vector<std::string>& command, const std::string& output,
                                absl::Duration limit = absl::InfiniteDuration());

}  // namespace lightmetal::device::cpu
