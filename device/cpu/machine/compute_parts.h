#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "device/cpu/machine/waiter.h"
#include "device/kernel_abi/lightmetal_kernel_abi_parts.h"

namespace lightmetal::device::cpu {

// A tile operation of the unpacking part: what the operation reads of circular buffers, as it was
// when the part came to the operation. The part may pop these pages afterwards.
struct UnpackedOperation {
  struct Buffer {
    uint32_t index;
    kernel_abi::CircularBuffer state;  // as the unpacking part sees it
  };
  struct Range {
    uint32_t address;  // in L1
    uint32_t size;
  };

  const char* name = "";
  std::vector<uint32_t> arguments;  // those that the unpacking part decides
  std::vector<Buffer> buffers;
  std::vector<Range> ranges;
  std::vector<std::byte> bytes;  // of all ranges, in their order

  // Empties the operation, which keeps its memory.
  void clear();
};

// A queue of few elements, which are used again.
template <typename Element, uint32_t kSize>
class SmallQueue {
 public:
  bool empty() const { return size_ == 0; }
  bool full() const { return size_ == kSize; }
  uint32_t size() const { return size_; }
  Element& front() { return elements_[first_]; }                   // REQUIRES: !empty()
  Element& next() { return elements_[(first_ + size_) % kSize]; }  // REQUIRES: !full()
  void push() { ++size_; }  // next() becomes the last element. REQUIRES: !full()
  void pop() {              // REQUIRES: !empty()
    first_ = (first_ + 1) % kSize;
    --size_;
  }
  void clear() { first_ = size_ = 0; }

 private:
  std::array<Element, kSize> elements_{};
  uint32_t first_ = 0;
  uint32_t size_ = 0;
};

// The state that the three parts of a compute kernel share on one core. Belongs to the worker that
// runs the core's kernels. Not thread-safe.
struct ComputeParts {
  static constexpr uint32_t kParts = kernel_abi::kComputeParts;
  // The most operations that the unpacking part is ahead: hardware has two banks of source
  // registers.
  static constexpr uint32_t kMostAhead = 2;

  struct Semaphore {
    uint32_t value = 0;
    uint32_t most = 15;
  };

  // Makes all empty, for a launch.
  void reset();
  // Returns true if a wait of one of the kinds of this struct is over.
  bool holds(const Wait& wait) const;

  // The mailbox that leads from one part to another, as Wait::subject names it.
  static constexpr uint32_t mailbox(uint32_t from, uint32_t to) { return from * kParts + to; }

  // Operations for each part: the one that does the math and, for tilize and untilize, which need
  // no math, the packing one.
  std::array<SmallQueue<UnpackedOperation, kMostAhead>, kParts> unpacked;
  std::array<SmallQueue<uint32_t, kernel_abi::kMailboxWords>, kParts * kParts> mailboxes;
  std::array<Semaphore, kernel_abi::kPartSemaphores> semaphores;

  // DST, in the memory of the part that does the math.
  float* dst = nullptr;
  uint32_t committed = 0;  // sections that were committed and released since the launch began
  uint32_t released = 0;
  uint32_t released_for_math = 0;    // those that the math has seen, and zeroed
  std::array<uint32_t, 2> states{};  // Context::dst_state of a committed section, by its number % 2
  bool math_owns_section = false;    // it has waited for the section that it computes in
  bool packer_owns_section = false;  // it has waited for the section that it packs
  bool packer_computes = false;

  // A copy of L1 with what an operation reads, where the operation computes.
  std::unique_ptr<std::byte[]> l1_as_unpacked;
  std::vector<UnpackedOperation::Range> results;  // what the operation writes
};

}  // namespace lightmetal::device::cpu
