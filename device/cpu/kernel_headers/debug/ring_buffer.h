#pragma once

// Values for the hardware's watcher.
#define WATCHER_RING_BUFFER_PUSH(value)
