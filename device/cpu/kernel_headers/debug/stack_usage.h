#pragma once

#include "lightmetal/events.h"

// A kernel's stack is the device's to watch: its overflow fails the launch.
#define RECORD_STACK_USAGE() ::lightmetal::kernel::count_watcher_event("RECORD_STACK_USAGE")
#define DIRTY_STACK_MEMORY() ::lightmetal::kernel::count_watcher_event("DIRTY_STACK_MEMORY")
