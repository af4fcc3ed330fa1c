#pragma once

// Of upstream's map, what kernels use.
#include "hostdevcommon/common_values.hpp"
