#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/mutex.h"
#include "device/cpu/machine/machine.h"
#include "device/cpu/threads/launch_state.h"
#include "device/cpu/threads/settings.h"
#include "device/cpu/threads/worker.h"

namespace lightmetal::device::cpu {

// Runs launches, one after the other, on the calling thread and a few of its own, which it keeps. A
// launch of one core involves no other thread. Thread-safe.
class Scheduler {
 public:
  // A scheduler for each lane of a device (LaunchPlan::lane); `awake` is as LaunchState says.
  Scheduler(Machine& machine, const Settings& settings, std::atomic<uint32_t>& awake);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // REQUIRES: a checked launch (launch_check.h).
  absl::Status run(const Launch& launch);

  // The same for launches that are known in advance, up to the first error: the threads do not
  // sleep in between, nor at once after the last, for a device trace is often replayed in a row.
  absl::Status run_all(absl::Span<const Launch* const> launches);

 private:
  absl::Status run_locked(const Launch& launch) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void serve(Worker& worker);
  // Makes workers up to `count`, threads permitting; at least one is there.
  void make_workers(size_t count) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Machine& machine_;
  const size_t max_workers_;
  LaunchState launch_;
  Mutex mutex_;
  std::vector<std::unique_ptr<Worker>> workers_
      ABSL_GUARDED_BY(mutex_);  // the first is for callers of run()
  std::vector<WorkerSignals*> signals_ ABSL_GUARDED_BY(mutex_);  // of workers_
  std::vector<std::thread> threads_ ABSL_GUARDED_BY(mutex_);     // of workers_[1], ...
};

}  // namespace lightmetal::device::cpu
