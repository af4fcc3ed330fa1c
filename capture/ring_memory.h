#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/digest.h"
#include "schema/storage/sink.h"

namespace lightmetal::capture {

// Memory in which the image of a file grows without ever moving, so that a signal handler can read
// at any moment what is there: whole frames, since each is appended at once. The system gives
// memory only where something was written. bytes() is thread-safe and async-signal-safe beside one
// append(); appends come one at a time. ResourceExhausted when there is no room.
class RingMemory final : public schema::Sink {
 public:
  // Reserves room for so many bytes.
  static absl::StatusOr<std::shared_ptr<RingMemory>> create(uint64_t capacity);

  RingMemory(const RingMemory&) = delete;
  RingMemory& operator=(const RingMemory&) = delete;
  ~RingMemory() override;

  absl::Status append(absl::Span<const Bytes> parts) override;
  absl::StatusOr<bool> append_if(const Digest& digest, Bytes head, Bytes content,
                                 Bytes tail) override;
  absl::Status close() override { return absl::OkStatus(); }
  uint64_t size() const override { return size_.load(std::memory_order_acquire); }
  Bytes bytes() const { return {bytes_, static_cast<size_t>(size())}; }

  // From here on append() takes at most `bytes` more. `error` says what it means that they are used
  // up, and lives for ever. Before the first call all of the capacity is allowed.
  void set_room(uint64_t bytes, const char* error) {
    error_ = error;
    limit_ = size() + bytes;
  }

  // The memory is not returned to the system when the object ends: somebody still reads it who
  // cannot say when the reading is done.
  void leak() { leaked_ = true; }

 private:
  RingMemory(std::byte* bytes, uint64_t capacity)
      : bytes_(bytes), capacity_(capacity), limit_(capacity) {}

  // Stores the part at `end`, behind what counts, and returns it. REQUIRES: there is room.
  Bytes store(uint64_t end, Bytes part);
  absl::Status check_room(uint64_t added) const;

  std::byte* const bytes_;
  const uint64_t capacity_;
  std::atomic<uint64_t> limit_;
  std::atomic<const char*> error_ = "the flight recorder is full";
  std::atomic<uint64_t> size_ = 0;
  bool leaked_ = false;
};

}  // namespace lightmetal::capture
