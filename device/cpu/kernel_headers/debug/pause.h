#pragma once

#include "lightmetal/events.h"

// On hardware with its watcher, waits for a person; here it only counts.
#define PAUSE() ::lightmetal::kernel::count_watcher_event("PAUSE")
