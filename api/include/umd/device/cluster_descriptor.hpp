#pragma once

// The name of the header in upstream's driver.
#include <tt-metalium/cluster_descriptor.hpp>  // IWYU pragma: export
