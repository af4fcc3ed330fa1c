#pragma once

#include "schema/file/origin.h"

namespace lightmetal::capture {

// What the file says of the process that is captured and of its machine: the build of this library,
// the executable, the command line, the time, the process id, host, system and processor, and some
// of the environment: the variables LIGHTMETAL_* and those that LIGHTMETAL_CAPTURE_ENVIRONMENT
// names, a list with commas. Never fails: what the system does not say stays empty. Thread-safe as
// long as nobody changes the environment.
schema::OriginInfo origin_of_process();

}  // namespace lightmetal::capture
