#pragma once

#include <cstdint>

namespace example {

// A small program of one kernel: y = factor * x + summand for 32x256 words, with names for x and y
// and one entry, "affine", so that its capture runs with other inputs, too. Prints whether the
// result is right, and returns the exit code.
int run_affine(const char* name, uint32_t factor, uint32_t summand);

}  // namespace example
