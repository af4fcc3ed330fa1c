#pragma once

#include "lightmetal/compute.h"

// The compute API lives in ckernel, and kernels call it without saying so.
namespace ckernel {}
using namespace ckernel;
