#pragma once

#include "lightmetal/tensor_accessor.h"
