#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "host/core_set.h"

namespace lightmetal::host {

// Circular buffer indices of a core, on the architecture that has most. TT-Metalium's number: its
// headers have it as a constant. Whether a device has as many is asked when a program meets one
// (check_circular_buffers in host/placement.h).
inline constexpr uint32_t kNumCircularBuffers = 64;

// A set of circular buffer indices, with one bit for each. REQUIRES of every index: it is below
// kNumCircularBuffers (see check_index).
class IndexSet {
 public:
  bool has(uint32_t index) const { return (bits_ >> index & 1) != 0; }
  void add(uint32_t index) { bits_ |= uint64_t{1} << index; }
  bool empty() const { return bits_ == 0; }
  uint32_t count() const;
  // One more than the highest index; 0 for none.
  uint32_t end() const;

  // Calls function(index) for each index, in ascending order.
  template <class Function>
  void for_each(Function function) const {
    for (uint64_t left = bits_; left != 0; left &= left - 1) {
      function(static_cast<uint8_t>(__builtin_ctzll(left)));
    }
  }

  friend IndexSet operator|(IndexSet a, IndexSet b) {
    a.bits_ |= b.bits_;
    return a;
  }

 private:
  uint64_t bits_ = 0;
};

// A circular buffer of a program: it looks the same on each of its cores. Sizes are in bytes. Local
// indices are for the kernels of one core, remote ones for the two sides of a global circular
// buffer.
struct CircularBuffer {
  // Memory that the program gave to the circular buffer: that of a buffer or of a global circular
  // buffer.
  struct Memory {
    uint64_t address = 0;  // in L1
    uint64_t size = 0;
  };

  IndexSet indices() const { return local | remote; }
  // The first index whose pages do not divide the total size; nullopt when all do.
  std::optional<uint8_t> first_undivided() const;

  uint64_t id = 0;  // the id by which errors name this circular buffer
  CoreSet cores = {};
  uint32_t total_size = 0;
  IndexSet local = {};
  IndexSet remote = {};
  std::array<uint32_t, kNumCircularBuffers> page_sizes = {};  // 0 at indices without one
  std::optional<Memory> given = {};  // without it, place_circular_buffers() finds memory
};

// ---- Rules for the numbers of a circular buffer ----
//
// Each is asked as soon as its numbers are given. InvalidArgument says which rule is broken.
// `count` is the number of a core's circular buffers.
absl::Status check_index(uint32_t index, uint32_t count = kNumCircularBuffers);
// A page size is given only for an index that the configuration has.
absl::Status check_has_index(const IndexSet& indices, uint32_t index);
// `room` is the size in bytes of the memory that was given to the circular buffer, if any was.
absl::Status check_total_size(uint32_t total_size, std::optional<uint64_t> room);
// A circular buffer that begins `offset` bytes behind the beginning of `room` bytes. Kernels count
// addresses of circular buffers in 16 bytes.
absl::Status check_address_offset(uint32_t offset, uint64_t room);
// The page size is positive and divides the total size.
absl::Status check_page_size(uint8_t index, uint32_t page_size, uint32_t total_size);

// The circular buffer has an index, and each of its indices has a page size that divides the total
// size.
absl::Status check_complete(const CircularBuffer& buffer);
// For a circular buffer in `size` bytes of a global circular buffer: the whole pages of each remote
// index are also whole pages of each local index, so that both wrap around at the same byte.
// Indices without a page size are passed over, because check_complete() refuses them.
absl::Status check_local_pages(const CircularBuffer& buffer, uint32_t size);

}  // namespace lightmetal::host
