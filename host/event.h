#pragma once

#include <cstdint>
#include <set>

#include "absl/status/status.h"

namespace lightmetal::host {

// How far an event has come. Its recordings are counted from 1; those of different queues are
// reached in any order. Not thread-safe.
class EventProgress {
 public:
  // Announces a recording, as a call does, and returns its number.
  uint64_t record();
  // A queue has come to the recording.
  void reach(uint64_t recording) { pending_.erase(recording); }
  // From now on every recording counts as reached, of those to come, too.
  void end_waits() { no_waits_ = true; }

  // The last recording that was announced; 0 when there was none.
  uint64_t recorded() const { return recorded_; }
  bool has_reached(uint64_t recording) const {
    return no_waits_ || (recording <= recorded_ && !pending_.contains(recording));
  }

 private:
  uint64_t recorded_ = 0;
  std::set<uint64_t> pending_;  // announced and not reached
  bool no_waits_ = false;
};

// What a queue waits for that is given a wait when `recorded` was the last recording: for that one,
// or for the first where there was none.
uint64_t awaited_by_queue(uint64_t recorded);
// The host can wait only for what was recorded.
absl::Status check_awaited_by_host(uint64_t recorded);

}  // namespace lightmetal::host
