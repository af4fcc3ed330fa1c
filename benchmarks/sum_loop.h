#pragma once

#include <cstddef>
#include <cstdint>

namespace lightmetal::bench {

// sum = a + b: in float, rounded to the nearest bfloat16, ties to even. Uses the processor's widest
// vectors.
void add_bfloat16s(const uint16_t* a, const uint16_t* b, uint16_t* sum, size_t count);

}  // namespace lightmetal::bench
