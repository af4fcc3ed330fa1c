#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/digest.h"
#include "base/mutex.h"
#include "schema/session_info.h"
#include "schema/sink.h"
#include "schema/types_generated.h"

namespace lightmetal::schema {

// Writes one file into a sink, frame by frame, in the order of the calls. Thread-safe: hashing
// happens outside the lock, and what two threads append at once comes in either order.
//
// The first error sticks: every later call returns it and writes nothing. A file without finish()
// is incomplete, and its whole frames remain readable.
class Writer {
 public:
  // Whoever needs the sink's bytes keeps a share of it.
  explicit Writer(std::shared_ptr<Sink> sink) : sink_(std::move(sink)) {}
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // Writes the magic and the session. REQUIRES: called once, before anything else.
  absl::Status begin(const SessionInfo& session);

  // Appends a command as finish_command returns it. The bytes are copied or written before this
  // returns.
  absl::Status append_command(Bytes command);

  // Appends a payload unless the file has one of equal content, and names it for commands that are
  // appended later.
  absl::StatusOr<BlobRef> append_blob(Bytes payload);

  // Writes the index and the footer and closes the sink. `capture_status` is what the capture came
  // to: an error makes the file say so, and it then counts as incomplete. Returns the first error
  // in writing, not `capture_status`. REQUIRES: called once, at the end.
  absl::Status finish(const absl::Status& capture_status);

  uint64_t size() const;          // bytes written so far
  uint64_t num_commands() const;  // appended so far
  absl::Status status() const;    // the first error

 private:
  struct Blob {
    uint64_t size = 0;
    uint64_t offset = 0;
  };
  enum class State { New, Open, Finished };

  absl::Status check_open() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status append(absl::Span<const Bytes> parts) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status append_frame(FrameType type, Bytes payload, const ::lightmetal::Digest& digest)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status append_padding(uint64_t size) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status append_index(const absl::Status& capture_status)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status close(const absl::Status& capture_status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable Mutex mutex_;
  std::shared_ptr<Sink> sink_ ABSL_GUARDED_BY(mutex_);  // null once finished
  State state_ ABSL_GUARDED_BY(mutex_) = State::New;
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
  uint64_t size_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t num_commands_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<uint64_t> checkpoints_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<::lightmetal::Digest, Blob> blobs_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace lightmetal::schema
