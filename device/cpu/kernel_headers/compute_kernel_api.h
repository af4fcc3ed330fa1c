#pragma once

// The compute kernel API of TT-Metalium, early 2025 and before.

#include "compute_kernel_api/cb_api.h"
#include "compute_kernel_api/common.h"
#include "compute_kernel_api/eltwise_binary.h"
#include "compute_kernel_api/eltwise_unary/eltwise_unary.h"
#include "compute_kernel_api/eltwise_unary/sfpu_split_includes.h"
#include "compute_kernel_api/matmul.h"
#include "compute_kernel_api/sfpu_reduce.h"
#include "compute_kernel_api/tile_move_copy.h"
#include "lightmetal/gelu_tanh.h"
#include "lightmetal/sfpi_calls.h"
#include "lightmetal/sfpu_lanes.h"
#include "lightmetal/sfpu_operations.h"
#include "lightmetal/topk.h"
#include "llk_math_eltwise_unary_sfpu_macros.h"
