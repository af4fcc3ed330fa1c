#pragma once

// Where upstream keeps the header beside its public ones.
#include <tt-metalium/rtoptions.hpp>  // IWYU pragma: export
#include <tt_metal/common/base.hpp>   // IWYU pragma: export
