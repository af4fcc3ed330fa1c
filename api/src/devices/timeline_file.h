#pragma once

// LIGHTMETAL_TIMELINE=FILE in the environment: at its exit the process writes into FILE what its
// devices did when (schema/show/timeline_trace.h).
namespace tt::tt_metal::timeline_file {

// Called before a device is opened. The first call with the variable set begins the timeline.
// Thread-safe.
void begin_from_environment();

}  // namespace tt::tt_metal::timeline_file
