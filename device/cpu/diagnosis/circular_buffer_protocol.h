#pragma once

#include <array>
#include <cstdint>

#include "absl/status/status.h"
#include "device/kernel_abi/lightmetal_kernel_abi_diagnosis.h"

namespace lightmetal::device::cpu {

// How one kernel keeps to the rules of circular buffers that hardware does not enforce: it pops
// what it has waited for, pushes what it has reserved, and pushes and pops numbers of pages that
// divide the buffer's. Waits and reservations are not added up: waiting for 1 page and then for 2
// is waiting for 2.
class CircularBufferProtocol {
 public:
  // An error that says which rule the call breaks. REQUIRES: index < kMaxCircularBuffers.
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
