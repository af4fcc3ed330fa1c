#pragma once

// The header's name in upstream's tests.
#include <tt-metalium/lightmetal_replay.hpp>  // IWYU pragma: export
