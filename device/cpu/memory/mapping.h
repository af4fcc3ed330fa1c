#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace lightmetal::device::cpu {

// A range of address space, which the destructor releases. Nothing in the range can be touched
// until allow() opens a part of it. Memory comes page by page when a page is first touched, filled
// with zeros. Sizes and offsets are in bytes, and multiples of the page size except where a comment
// says otherwise.
class Mapping {
 public:
  // Takes address space, but no memory. The range begins at a multiple of `alignment`, which is a
  // power of two. An error of the system when there is no such range.
  static absl::StatusOr<Mapping> reserve(uint64_t size, uint64_t alignment);

  Mapping() = default;
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  ~Mapping();

  // Makes bytes readable and writable, also for kernels where the host's memory is guarded
  // (memory_guard.h). `size` need not be a multiple of the page size: it is rounded up.
  absl::Status allow(uint64_t offset, uint64_t size);

  // Asks the system for large pages, which are cheaper to reach and bring more memory at the first
  // touch. A wish: a system without large pages ignores it.
  void prefer_large_pages();

  std::byte* data() const { return data_; }
  uint64_t size() const { return size_; }

 private:
  Mapping(std::byte* data, uint64_t size) : data_(data), size_(size) {}

  std::byte* data_ = nullptr;
  uint64_t size_ = 0;
};

uint64_t page_size();  // of this system, in bytes

inline constexpr uint64_t kLargePage = uint64_t{2} << 20;

}  // namespace lightmetal::device::cpu
