#pragma once

#include <array>
#include <cstdint>

#include "absl/status/status.h"
#include "device/kernel_abi/lightmetal_kernel_abi_diagnosis.h"

namespace lightmetal::device::cpu {

// Follows how one kernel uses its circular buffers, and finds calls that break rules which hardware
// does not enforce: a kernel pops no more pages than it has waited for, pushes no more than it has
// reserved, and pushes and pops numbers of pages that divide the number of the buffer's. Waits and
// reservations are not added up: waiting for 1 page and then for 2 is waiting for 2.
class CircularBufferProtocol {
 public:
  // Notes a call of `pages` pages on a circular buffer of `num_pages`. FailedPrecondition, with the
  // rule, when the call breaks one. REQUIRES: index < kMaxCircularBuffers.
  absl::Status note(kernel_abi::CircularBufferCall call, uint32_t index, uint32_t pages,
                    uint32_t num_pages);

 private:
  struct Pages {
    uint32_t waited = 0;
    uint32_t reserved = 0;
  };
  std::array<Pages, kernel_abi::kMaxCircularBuffers> pages_{};
};

}  // namespace lightmetal::device::cpu
