#pragma once

#include "debug/waypoint.h"  // DEBUG_STATUS
