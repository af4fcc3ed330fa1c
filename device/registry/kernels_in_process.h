#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

// Some backends run kernels in the process of the host. What that process may ask about those
// kernels, whichever of these backends it opens later. docs/security.md says what for.
namespace lightmetal::device {

// From now on the code of kernels lies in one range of addresses with nothing else in it, and is
// loaded without the system's loader. Returns where the range begins, a multiple of its size, 4
// GiB; the same when it is called again. REQUIRES: no device is open yet.
absl::StatusOr<uint64_t> confine_kernels();

// From now on kernels cannot write to the host's memory. Unavailable when this processor, system or
// build has nothing that would stop them. REQUIRES: confine_kernels() has been called, the process
// has one thread, no device is open.
absl::Status guard_host_memory();

// Writes the name of a kernel that runs at this moment into `text`, as errors have it, and less
// where there is less room; nothing when none runs. For signal handlers.
void name_running_kernel(char* text, size_t size);

}  // namespace lightmetal::device
