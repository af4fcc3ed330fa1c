#pragma once

#include <cstdint>

namespace lightmetal::bench {

// How often any thread of the process has allocated memory. A program that links this has malloc
// and its kin of its own, which count and hand on to the C library's. Thread-safe.
uint64_t counted_allocations();

}  // namespace lightmetal::bench
