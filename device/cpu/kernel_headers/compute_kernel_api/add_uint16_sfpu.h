#pragma once

#include "compute_kernel_api/add_int_sfpu.h"
