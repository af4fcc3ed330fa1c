#pragma once

#include <cstdint>

#include "tests/random_programs/surface.h"

namespace random_programs {

// Returns a valid program, the same on every machine for the same seed.
RandomProgram random_program(uint32_t seed);

}  // namespace random_programs
