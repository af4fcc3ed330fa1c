#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "device/cpu/machine/machine.h"
#include "device/device.h"

namespace lightmetal::device::cpu {

// Does what Device::written() says, by what the system knows of the machine's memory.
absl::StatusOr<std::vector<MemoryPart>> written_parts(Machine& machine,
                                                      absl::Span<const MemoryPart> parts);

}  // namespace lightmetal::device::cpu
