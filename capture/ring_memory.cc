#include "capture/ring_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "base/status.h"

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

absl::Status RingMemory::check_room(uint64_t added) const {
  const uint64_t end = size_.load(std::memory_order_relaxed);
  const uint64_t limit = std::min(limit_.load(), capacity_);
  if (end > limit || added > limit - end) return absl::ResourceExhaustedError(error_.load());
  return absl::OkStatus();
}

Bytes RingMemory::store(uint64_t end, Bytes part) {
  if (!part.empty()) std::memcpy(bytes_ + end, part.data(), part.size());
  return {bytes_ + end, part.size()};
}

absl::Status RingMemory::append(absl::Span<const Bytes> parts) {
  LM_RETURN_IF_ERROR(check_room(schema::size_of(parts)));
  uint64_t end = size_.load(std::memory_order_relaxed);
  for (const Bytes part : parts) end += store(end, part).size();
  // Last: a reader that sees the new size sees the bytes.
  size_.store(end, std::memory_order_release);
  return absl::OkStatus();
}

absl::StatusOr<bool> RingMemory::append_if(const Digest& digest, Bytes head, Bytes content,
                                           Bytes tail) {
  LM_RETURN_IF_ERROR(check_room(schema::size_of({head, content, tail})));
  uint64_t end = size_.load(std::memory_order_relaxed);
  end += store(end, head).size();
  Digester digester;
  for (size_t done = 0; done < content.size(); done += schema::kCopiedBlock) {
    const Bytes stored = store(end, content.subspan(done, schema::kCopiedBlock));
    digester.add(stored);
    end += stored.size();
  }
  end += store(end, tail).size();
  if (digester.digest() != digest) return false;
  size_.store(end, std::memory_order_release);
  return true;
}

}  // namespace lightmetal::capture
