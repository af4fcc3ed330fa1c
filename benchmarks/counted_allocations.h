#pragma once

#include <functional>

namespace lightmetal::bench {

// How often the process allocates memory, on any thread, each time that `work` is done, once it has
// been done some times. It is the least of a few rounds, because a worker that comes to a part of
// the work late, on a busy machine, allocates there once what it keeps. A program that links this
// has malloc and its kin of its own, which count and hand on to the C library's.
double allocations_each(const std::function<void()>& work);

}  // namespace lightmetal::bench
