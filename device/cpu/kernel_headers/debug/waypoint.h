#pragma once

// Marks for the hardware's watcher.
#define WAYPOINT(text)
