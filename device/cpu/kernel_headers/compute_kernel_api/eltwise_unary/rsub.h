#pragma once

#include "compute_kernel_api/eltwise_unary/reverseops.h"
