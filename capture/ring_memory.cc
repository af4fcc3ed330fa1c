#include "capture/ring_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace lightmetal::capture {

absl::StatusOr<std::shared_ptr<RingMemory>> RingMemory::create(uint64_t capacity) {
  void* memory = mmap(nullptr, capacity, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    return absl::ErrnoToStatus(
        errno, absl::StrCat("cannot reserve ", capacity, " bytes for the flight recorder"));
  }
  return std::shared_ptr<RingMemory>(new RingMemory(static_cast<std::byte*>(memory), capacity));
}

RingMemory::~RingMemory() {
  if (!leaked_) munmap(bytes_, capacity_);
}

absl::Status RingMemory::append(absl::Span<const Bytes> parts) {
  uint64_t end = size_.load(std::memory_order_relaxed);
  uint64_t added = 0;
  for (const Bytes part : parts) added += part.size();
  const uint64_t limit = std::min(limit_.load(), capacity_);
  if (end > limit || added > limit - end) return absl::ResourceExhaustedError(error_.load());
  for (const Bytes part : parts) {
    if (!part.empty()) std::memcpy(bytes_ + end, part.data(), part.size());
    end += part.size();
  }
  // Last: a reader that sees the new size sees the bytes.
  size_.store(end, std::memory_order_release);
  return absl::OkStatus();
}

}  // namespace lightmetal::capture
