#pragma once

#include "compute_kernel_api/cb_api.h"
#include "compute_kernel_api/common_globals.h"
#include "compute_kernel_api/compute_kernel_hw_startup.h"
#include "compute_kernel_api/pack.h"
#include "compute_kernel_api/reconfig_data_format.h"
#include "compute_kernel_api/reg_api.h"
#include "debug/assert.h"
#include "lightmetal/hardware_waits.h"
#include "lightmetal/processors.h"
#include "lightmetal/remote_circular_buffers.h"
