#pragma once

#include "lightmetal/ethernet.h"
