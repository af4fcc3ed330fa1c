#pragma once

#include "compute_kernel_api/common_globals.h"  // cb_wait_front, cb_pop_front, cb_reserve_back, cb_push_back
