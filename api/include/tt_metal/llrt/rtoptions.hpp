#pragma once

// Where upstream keeps the header beside its public ones.
#include <tt-metalium/rtoptions.hpp>  // IWYU pragma: export
