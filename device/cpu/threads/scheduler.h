#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/mutex.h"
#include "device/cpu/machine/machine.h"
#include "device/cpu/schedule/random_schedule.h"
#include "device/cpu/threads/launch_state.h"
#include "device/cpu/threads/settings.h"
#include "device/cpu/threads/worker.h"

namespace lightmetal::device::cpu {

// Runs launches, one after the other, on the calling thread and on a few threads of its own, which
// it makes when a launch first needs them and keeps until it is destroyed. A launch of one core
// involves no other thread. Thread-safe: a second caller waits until the first launch has ended.
class Scheduler {
 public:
  // A device has a scheduler for each of its lanes (LaunchPlan::lane). `machine` and `awake`, which
  // LaunchState explains, outlive the scheduler. With a fixed or random schedule no thread but the
  // caller's works; each lane of each chip has random orders of its own.
  Scheduler(Machine& machine, const Settings& settings, int chip_id, uint32_t lane,
            std::atomic<uint32_t>& awake);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // Runs one launch to its end and returns its first error. REQUIRES: a checked launch
  // (launch_check.h).
  absl::Status run(const Launch& launch);

  // The same for launches that are known in advance, up to the first error. The threads do not
  // sleep between two of them, nor at once after the last, because a device trace is often replayed
  // several times in a row.
  absl::Status run_all(absl::Span<const Launch* const> launches);

 private:
  absl::Status run_locked(const Launch& launch) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void serve(Worker& worker);
  // Makes workers up to `count`, threads permitting; at least one is there.
  void make_workers(size_t count) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Machine& machine_;
  const size_t max_workers_;
  const std::unique_ptr<RandomSchedule> schedule_;  // null unless the schedule is random
  const std::optional<uint64_t> most_polls_;        // as Worker has it
  const bool splits_;                               // as Worker has it
  LaunchState launch_;
  Mutex mutex_;
  // The first worker works on the threads of the callers of run().
  std::vector<std::unique_ptr<Worker>> workers_ ABSL_GUARDED_BY(mutex_);
  std::vector<WorkerSignals*> signals_ ABSL_GUARDED_BY(mutex_);  // of workers_
  std::vector<std::thread> threads_ ABSL_GUARDED_BY(mutex_);     // of workers_[1], ...
};

}  // namespace lightmetal::device::cpu
