#include "host/memory.h"

#include "base/round.h"
#include "host/refusal.h"

namespace lightmetal::host {

absl::Status allocate_at(FreeList& memory, BufferType type, uint64_t address, uint64_t size,
                         uint32_t alignment) {
  if (address % alignment != 0) {
    return refuse("Address ", address, " of a ", name_of(type), " buffer is not a multiple of ",
                  alignment);
  }
  if (address < memory.begin() || address >= memory.end() || size > memory.end() - address ||
      address > kMaxAddress) {
    return refuse(size, " B at address ", address, " lie outside the memory of ", name_of(type),
                  " buffers, [", memory.begin(), ", ", memory.end(), ")");
  }
  const uint64_t taken_size = round_up(size, alignment);
  if (const auto taken = memory.overlapping(address, taken_size)) {
    return refuse(size, " B at address ", address, " are not free in ", name_of(type), ": address ",
                  taken->address, " is taken, with ", taken->size, " B");
  }
  if (memory.allocate_at(address, taken_size)) return absl::OkStatus();
  return refuse(size, " B at address ", address, " are not free in ", name_of(type));
}

}  // namespace lightmetal::host
