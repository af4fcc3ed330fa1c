#pragma once

#include <cstdint>

#include "tests/random_programs/steps.h"

namespace random_programs {

// A valid program; the same for the same seed everywhere.
Steps random_steps(uint32_t seed);

}  // namespace random_programs
