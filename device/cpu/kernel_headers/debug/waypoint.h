#pragma once

#include "lightmetal/events.h"

// Marks for the hardware's watcher. The second name is the older one.
#define WAYPOINT(text) ::lightmetal::kernel::count_watcher_event("WAYPOINT " text)
#define DEBUG_STATUS(text) ::lightmetal::kernel::count_watcher_event("DEBUG_STATUS " text)
