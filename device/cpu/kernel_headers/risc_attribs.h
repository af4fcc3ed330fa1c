#pragma once

#include "lightmetal/kernel.h"  // tt_l1_ptr, tt_reg_ptr
