#pragma once

// What upstream's driver shows its users is in one header here.
#include <tt-metalium/tt_cluster.hpp>  // IWYU pragma: export
