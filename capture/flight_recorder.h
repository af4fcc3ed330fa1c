#pragma once

#include <cstdint>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "capture/ring_memory.h"
#include "schema/file/session_info.h"
#include "schema/storage/sink.h"

namespace lightmetal::capture {

// The least size of a ring in bytes: smaller ones would hold little but snapshots.
inline constexpr uint64_t kMinRingSize = 64 * 1024;

// A flight recorder keeps the end of a capture in memory, its ring, and writes it to a file when
// asked to, when the capture ends, and when a fatal signal comes.
//
// The ring has up to two segments. Each is the image of a file that stands for itself: a session, a
// snapshot of what lives, and the commands that followed. When the commands of the current segment
// reach half of the ring's size, it becomes the older one, the older one is dropped, and a new one
// begins. What is written is the older segment with the commands of the current one behind its own,
// which works because objects keep their ids from segment to segment. So the file holds at least
// the last half of `size` bytes of commands and payloads, and at most all of it.
//
// Memory: `size` bytes for commands and payloads, and the snapshots of two segments, each of at
// most `size`; between two calls no more than that. A snapshot that is larger ends the capture, and
// so do more than `size` bytes in one call or in a time in which no segment could begin.
//
// Thread-safe. A process has one flight recorder for each capture that can run in it. Does not take
// the snapshots itself: the recorder does (SnapshotSource in session.h).
class FlightRecorder {
 public:
  struct Slot;  // what the handler of fatal signals knows of a flight recorder

  // InvalidArgument for a size below kMinRingSize.
  static absl::Status check_size(uint64_t size);
  // `file` is written over each time. InvalidArgument as by check_size();
  // ResourceExhausted when as many flight recorders live as a process can have.
  static absl::StatusOr<std::unique_ptr<FlightRecorder>> create(
      uint64_t size, std::shared_ptr<schema::FileSink> file);
  FlightRecorder(const FlightRecorder&) = delete;
  FlightRecorder& operator=(const FlightRecorder&) = delete;
  ~FlightRecorder();

  // Returns the memory of a new segment, which a schema::Writer fills, the snapshot first; drops
  // the older segment. Until end_snapshot() the new segment does not count.
  absl::StatusOr<std::shared_ptr<schema::Sink>> begin_segment();
  // The snapshot of the new segment is whole, and commands follow.
  void end_snapshot();

  // True when the current segment has its share of the ring, and a new one should begin.
  bool wants_segment() const;
  // True when the current segment has most of the ring (three quarters), and when it has nearly all
  // of it.
  bool is_urgent() const;
  bool is_nearly_full() const;
  // Called when no segment could begin now: there is no sense in asking again before more has been
  // recorded.
  void postpone_segment();

  // Writes the file, as one that was closed and says `capture_status`.
  absl::Status write(const absl::Status& capture_status);
  // Writes the file because a call failed. At most once for each segment, because in some programs
  // calls fail all the time.
  absl::Status write_for_error();
  // Ends the flight recorder: writes the file, unless the file shows the last failure already, and
  // closes it.
  absl::Status finish(const absl::Status& capture_status);
  // Called in a child that the process has forked: memory and file stay the parent's, and signals
  // are not acted on for it. Does not take this object's lock, because a thread of the parent may
  // hold it. REQUIRES: no thread of the parent was in end_snapshot() for the first time, or in
  // finish(), of any flight recorder: their common lock is free.
  void leave_to_parent();

 private:
  struct Segment {
    std::shared_ptr<RingMemory> memory;
    uint64_t snapshot_end = 0;  // 0 until it is known

    uint64_t command_bytes() const { return memory->size() - snapshot_end; }
  };
  struct View;  // what a signal handler writes

  FlightRecorder(uint64_t size, std::shared_ptr<schema::FileSink> file, Slot* slot);

  static void write_from_signal();
  static void write_from_signal(Slot& slot);

  bool has_reached(uint64_t size) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void leave_slot();
  void publish() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void drop_older() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status write_file(const absl::Status& capture_status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const uint64_t size_;
  Slot* const slot_;
  mutable Mutex mutex_;
  const std::shared_ptr<schema::FileSink> file_;
  Segment older_ ABSL_GUARDED_BY(mutex_);
  Segment current_ ABSL_GUARDED_BY(mutex_);
  Segment next_ ABSL_GUARDED_BY(mutex_);  // the new one while its snapshot is taken
  std::unique_ptr<View> view_ ABSL_GUARDED_BY(mutex_);
  // whether the current segment was written for an error
  bool wrote_error_ ABSL_GUARDED_BY(mutex_) = false;
  // True when the last write of the file was for the last call that failed.
  bool shows_last_failure_ ABSL_GUARDED_BY(mutex_) = false;

  // The sizes of the current segment's memory at which the questions above become true.
  uint64_t wanted_at_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t urgent_at_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t nearly_full_at_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace lightmetal::capture
