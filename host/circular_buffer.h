#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "host/core_set.h"

namespace lightmetal::host {

// TT-Metalium's number: its headers and the code of kernels have it, whatever the device.
inline constexpr uint32_t kNumCircularBuffers = 32;

// Indices of circular buffers, one bit for each.
class IndexSet {
 public:
  bool has(uint32_t index) const { return (bits_ >> index & 1) != 0; }
  void add(uint32_t index) { bits_ |= uint32_t{1} << index; }
  bool empty() const { return bits_ == 0; }
  uint32_t count() const;

  // Calls function(index) for each, from below.
  template <class Function>
  void for_each(Function function) const {
    for (uint32_t left = bits_; left != 0; left &= left - 1) {
      function(static_cast<uint8_t>(__builtin_ctz(left)));
    }
  }

  friend IndexSet operator|(IndexSet a, IndexSet b) {
    a.bits_ |= b.bits_;
    return a;
  }

 private:
  uint32_t bits_ = 0;
};

// A circular buffer of a program, on cores that have the same of it. Sizes in bytes.
struct CircularBuffer {
  // Memory that it was given: that of a buffer or of a global circular buffer.
  struct Memory {
    uint64_t address = 0;  // in L1
    uint64_t size = 0;
  };

  IndexSet indices() const { return local | remote; }
  // The first index whose pages do not divide the total size; nullopt when all do.
  std::optional<uint8_t> first_undivided() const;

  uint64_t id = 0;  // as its errors name it
  CoreSet cores = {};
  uint32_t total_size = 0;
  IndexSet local = {};
  IndexSet remote = {};
  std::array<uint32_t, kNumCircularBuffers> page_sizes = {};  // 0 at indices without one
  std::optional<Memory> given = {};  // otherwise a program finds memory for it at its launch
};

// The rules for its numbers, each as it is given. InvalidArgument says which is broken.
absl::Status check_index(uint32_t index);
// A page size is given for one of its indices.
absl::Status check_has_index(const IndexSet& indices, uint32_t index);
// `room` is the size of the memory that it was given, if it was.
absl::Status check_total_size(uint32_t total_size, std::optional<uint64_t> room);
absl::Status check_page_size(uint8_t index, uint32_t page_size, uint32_t total_size);

// It has an index, and each a page size that divides the total size.
absl::Status check_complete(const CircularBuffer& buffer);
// Local indices in `size` bytes of a global circular buffer go around the whole pages of its remote
// ones.
absl::Status check_local_pages(const CircularBuffer& buffer, uint32_t size);

}  // namespace lightmetal::host
