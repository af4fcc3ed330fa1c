#pragma once

// The name that upstream's tests have for <tt-metalium/lightmetal_replay.hpp>.
#include <tt-metalium/lightmetal_replay.hpp>  // IWYU pragma: export
