#pragma once

#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "device/cpu/machine/waiter.h"

namespace lightmetal::device::cpu {

// Decides that a launch whose kernels poll memory will not end. A kernel that polls can always go
// on, so only time can tell: all workers have slept or made idle rounds for `patience`, and each
// that is awake has made two further idle rounds behind it. So a kernel that computes for long is
// never taken for one that polls: while it computes, its worker makes no round. Not thread-safe.
class Watchdog {
 public:
  explicit Watchdog(absl::Duration patience) : patience_(patience) {}

  absl::Duration patience() const { return patience_; }

  // Begins the time of patience anew.
  void restart(absl::Time now);

  // True when patience has run out. To be asked again and again, with the same workers in the same
  // order, to which further ones may come at the end. `arrivals` grows with whatever comes from
  // outside the launch and may wake a kernel.
  bool expired(absl::Time now, absl::Span<WorkerSignals* const> workers, uint64_t arrivals = 0);

 private:
  bool all_went_round(absl::Span<WorkerSignals* const> workers) const;

  const absl::Duration patience_;
  absl::Time quiet_since_;
  uint64_t activity_ = 0;
  // Each worker's idle rounds when patience first ran out; empty before.
  std::vector<uint64_t> rounds_;
};

}  // namespace lightmetal::device::cpu
