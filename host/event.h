#pragma once

#include <cstdint>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"

namespace lightmetal::host {

// How far an event has come. An event may be recorded many times; its recordings have numbers from
// 1 on, and queues reach the recordings in any order. Not thread-safe: the API guards it with a
// lock of its own.
class EventProgress {
 public:
  // Notes that a call has asked for a recording, and returns the recording's number.
  uint64_t record();
  // Notes that a queue has come to the recording.
  void reach(uint64_t recording) { pending_.erase(recording); }
  // From now on every recording counts as reached, also each one that is still to come.
  void end_waits() { no_waits_ = true; }

  // The number of the last recording that was asked for; 0 when there was none.
  uint64_t recorded() const { return recorded_; }
  bool has_reached(uint64_t recording) const {
    return no_waits_ || (recording <= recorded_ && !pending_.contains(recording));
  }

 private:
  uint64_t recorded_ = 0;
  // Recordings that were asked for and not reached. It keeps its memory.
  absl::flat_hash_set<uint64_t> pending_;
  bool no_waits_ = false;
};

// The recording that a queue waits for when `recorded` is the last one at the time of the call:
// that one, or the first one to come where there was none.
uint64_t awaited_by_queue(uint64_t recorded);
// The host can wait only for an event that was recorded. FailedPrecondition otherwise.
absl::Status check_awaited_by_host(uint64_t recorded);

}  // namespace lightmetal::host
