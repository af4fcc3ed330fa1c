#pragma once

// Names of meshes and devices in the fabric are declared in one header here.
#include <tt-metalium/fabric_node_id.hpp>  // IWYU pragma: export
