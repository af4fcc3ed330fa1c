#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

namespace lightmetal::device::cpu {

// Where a kernel is: the address of an instruction in the innermost function of its code, then
// those of the calls that led there. Of a deep stack it holds the innermost 16 addresses. It
// allocates nothing, so a signal handler can fill it.
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

// One frame of a kernel's code, from which its whole stack can be found.
struct KernelFrame {
  uint64_t counter = 0;  // the address of the instruction, or the one to which a call returns
  uint64_t pointer = 0;  // the frame pointer
};

// The frame of the kernel, in a service that the kernel has called. REQUIRES: the function in which
// this one is expanded is the one that the kernel called.
inline __attribute__((always_inline)) KernelFrame calling_frame() {
  // Volatile, so that the two words are not loaded as one: such a load waits for all stores before
  // it (see Wait in waiter.h).
  const auto* frame = static_cast<const volatile uint64_t*>(__builtin_frame_address(0));
  return {.counter = frame[1], .pointer = frame[0]};
}

}  // namespace lightmetal::device::cpu
