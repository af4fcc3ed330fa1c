#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace lightmetal::device::cpu {

// The path of the executable called `name`: the name itself when it is a path, else the first of
// that name in PATH. Empty when there is none.
std::string find_program(const std::string& name);

// The exit status of a program when the system does not tell it to this process.
inline constexpr int kUnknownStatus = -1;

// Runs a program to its end, with its standard output and error in the file `output`, and with an
// environment that cannot change what a compiler makes. `command` is the program's path and its
// arguments; no shell is involved. Returns the exit status, or 128 plus the number of the signal
// that has killed the program, or kUnknownStatus when this process ignores SIGCHLD, or when another
// of its threads waits for every child. Unavailable when the program cannot be started;
// DeadlineExceeded when it took longer than `limit` and was killed (on systems that can wait so
// long for a child: Linux 5.3 can). Thread-safe.
absl::StatusOr<int> run_program(const std::vector<std::string>& command, const std::string& output,
                                absl::Duration limit = absl::InfiniteDuration());

}  // namespace lightmetal::device::cpu
