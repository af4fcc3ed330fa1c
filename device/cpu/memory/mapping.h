#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace lightmetal::device::cpu {

// A range of address space, released at the end. Nothing in it can be touched until allow() opens a
// part; memory comes page by page at first touch, filled with zeros. Sizes and offsets are
// multiples of the page size, except where said.
class Mapping {
 public:
  // `alignment` is a power of two. Takes address space only.
  static absl::StatusOr<Mapping> reserve(uint64_t size, uint64_t alignment);

  Mapping() = default;
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  ~Mapping();

  // Makes bytes readable and writable, for kernels too where the host's memory is guarded
  // (memory_guard.h); `size` is rounded up to whole pages.
  absl::Status allow(uint64_t offset, uint64_t size);

  // Asks for large pages, where the system has them: cheaper to reach, more at once.
  void prefer_large_pages();

  std::byte* data() const { return data_; }
  uint64_t size() const { return size_; }

 private:
  Mapping(std::byte* data, uint64_t size) : data_(data), size_(size) {}

  std::byte* data_ = nullptr;
  uint64_t size_ = 0;
};

uint64_t page_size();

inline constexpr uint64_t kLargePage = uint64_t{2} << 20;

}  // namespace lightmetal::device::cpu
