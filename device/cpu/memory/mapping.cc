#include "device/cpu/memory/mapping.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "device/cpu/memory/memory_guard.h"

namespace lightmetal::device::cpu {

uint64_t page_size() {
  static const auto size = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return size;
}

absl::StatusOr<Mapping> Mapping::reserve(uint64_t size, uint64_t alignment) {
  const uint64_t padded = size + alignment;
  void* address =
      mmap(nullptr, padded, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) {
    return absl::ErrnoToStatus(errno,
                               absl::StrCat("cannot reserve ", padded, " bytes of address space"));
  }
  auto* const begin = static_cast<std::byte*>(address);
  // The system aligns to pages only, so more is taken and both ends are given back.
  const uint64_t head = -reinterpret_cast<uint64_t>(begin) & (alignment - 1);
  if (head > 0) munmap(begin, head);
  munmap(begin + head + size, padded - head - size);
  return Mapping(begin + head, size);
}

Mapping::Mapping(Mapping&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

Mapping::~Mapping() {
  if (data_ != nullptr) munmap(data_, size_);
}

absl::Status Mapping::allow(uint64_t offset, uint64_t size) {
  if (allow_kernels(data_ + offset, size) == 0) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", size, " bytes of memory"));
}

// The result is ignored: nothing depends on large pages.
void Mapping::prefer_large_pages() {
#ifdef MADV_HUGEPAGE
  madvise(data_, size_, MADV_HUGEPAGE);
#endif
}

}  // namespace lightmetal::device::cpu
