#pragma once

#include "compute_kernel_api/mul_int_sfpu.h"
