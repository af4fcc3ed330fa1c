#pragma once

#include "lightmetal/args.h"
