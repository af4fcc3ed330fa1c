#pragma once

#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "device/cpu/machine/waiter.h"

namespace lightmetal::device::cpu {

// Decides that a launch whose kernels poll memory will not end. A polling kernel can always go on,
// so only time can tell: all workers have slept or made idle rounds for `patience`, and at its end
// each made further ones. A kernel that computes for long is never taken for a polling one. Not
// thread-safe.
class Watchdog {
 public:
  explicit Watchdog(absl::Duration patience) : patience_(patience) {}

  absl::Duration patience() const { return patience_; }

  void restart(absl::Time now);

  // True when patience has run out. Ask again and again. `arrivals` grows with what comes from
  // elsewhere.
  bool expired(absl::Time now, absl::Span<WorkerSignals* const> workers, uint64_t arrivals = 0);

 private:
  bool all_went_round(absl::Span<WorkerSignals* const> workers) const;

  const absl::Duration patience_;
  absl::Time quiet_since_;
  uint64_t activity_ = 0;
  std::vector<uint64_t> rounds_;  // each worker's when patience first ran out; empty before
};

}  // namespace lightmetal::device::cpu
