#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

namespace lightmetal::device::cpu {

// Where a kernel is: addresses of instructions in its code, the innermost function's first, then of
// the calls that led there; of a deep stack the innermost part.
class KernelStack {
 public:
  absl::Span<const uint64_t> addresses() const { return {addresses_.data(), size_}; }
  bool full() const { return size_ == addresses_.size(); }
  void push(uint64_t address) {
    if (!full()) addresses_[size_++] = address;
  }

 private:
  std::array<uint64_t, 16> addresses_{};
  size_t size_ = 0;
};

// What a kernel's code leaves to find its stack by.
struct KernelFrame {
  uint64_t counter = 0;  // the instruction, or where a call returns to
  uint64_t pointer = 0;  // of the frame
};

// The kernel's frame, in a service that the kernel called: the frame of the function this is
// expanded in must be the one that the kernel's call made.
inline __attribute__((always_inline)) KernelFrame calling_frame() {
  // Volatile, so that the two are not loaded as one: see Wait.
  const auto* frame = static_cast<const volatile uint64_t*>(__builtin_frame_address(0));
  return {.counter = frame[1], .pointer = frame[0]};
}

}  // namespace lightmetal::device::cpu
