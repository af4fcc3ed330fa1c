#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "base/free_list.h"
#include "host/buffer.h"

namespace lightmetal::host {

// Takes `size` bytes, rounded up to `alignment`, of each bank of a memory at the address; they are
// given back at the address. Refuses an address that is not aligned, lies outside or is taken;
// nothing has changed then. REQUIRES: `size` is positive.
absl::Status allocate_at(FreeList& memory, BufferType type, uint64_t address, uint64_t size,
                         uint32_t alignment);

}  // namespace lightmetal::host
