#pragma once

#include "debug/dprint.h"
#include "lightmetal/compute.h"
#include "risc_common.h"
#include "tools/profiler/kernel_profiler.hpp"

// The compute API lives in ckernel, and kernels call it without saying so.
namespace ckernel {}
using namespace ckernel;
