#pragma once

#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "device/cpu/machine/waiter.h"

namespace lightmetal::device::cpu {

// Decides that a launch whose kernels poll memory will not end. A kernel that polls can always go
// on, so only time can tell. Patience runs out when all workers have slept or made idle rounds for
// `patience`. Those that are awake must have made two further idle rounds after that, and the
// process must have used a tenth of `patience` as processor time. So a kernel that computes for
// long is never taken for one that polls: while it computes, its worker makes no round. And a
// kernel that gets little of a busy machine has time to find what it looks for. Not thread-safe.
class Watchdog {
 public:
  struct Moment {
    absl::Time time;
    absl::Duration used;  // the processor time of the process up to now
  };

  explicit Watchdog(absl::Duration patience) : patience_(patience) {}

  absl::Duration patience() const { return patience_; }

  // Begins the time of patience anew.
  void restart(Moment now);

  // Returns whether patience has run out. Ask again and again, with the same workers in the same
  // order; new workers may follow them. `arrivals` grows with everything from outside the launch
  // that may wake a kernel.
  bool expired(Moment now, absl::Span<WorkerSignals* const> workers, uint64_t arrivals = 0);

 private:
  bool all_went_round(Moment now, absl::Span<WorkerSignals* const> workers) const;

  const absl::Duration patience_;
  Moment quiet_since_;
  uint64_t activity_ = 0;
  // Each worker's idle rounds when patience first ran out; empty before.
  std::vector<uint64_t> rounds_;
};

}  // namespace lightmetal::device::cpu
