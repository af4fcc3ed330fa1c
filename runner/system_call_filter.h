#pragma once

#include <linux/filter.h>

#include <cstdint>
#include <vector>

namespace lightmetal::runner {

// The seccomp filter of `run --sandbox`: which system calls go on once a file is about to be
// executed. `code_begin` is where the kernels' code lies (device/cpu/memory/confined_code.h).
//
// An instruction in that code may make no system call at all. All other code may only make what a
// replay needs that has everything open:
//   - memory that is not executable, except that kernels' code becomes executable where it lies,
//     and is not writable then;
//   - threads, locks, time;
//   - writing to standard output and standard error, each behind what is there.
// Opening or looking at a file by its path fails with EACCES, moving in one with ESPIPE. Any other
// call is not executed, and the thread gets SIGSYS.
std::vector<sock_filter> system_call_filter(uint64_t code_begin);

}  // namespace lightmetal::runner
