#pragma once

#include <cstdint>

#include "tests/random_programs/steps.h"

namespace random_programs {

// A valid program. The same seed gives the same program on every machine.
Steps random_steps(uint32_t seed);

}  // namespace random_programs
