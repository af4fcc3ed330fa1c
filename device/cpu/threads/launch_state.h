#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/mutex.h"
#include "device/cpu/ethernet/link_end.h"
#include "device/cpu/machine/waiter.h"
#include "device/cpu/threads/deadlock_report.h"
#include "device/cpu/threads/watchdog.h"
#include "device/device.h"

namespace lightmetal::device::cpu {

// What the workers of a device share during a launch: which cores are left to start, who sleeps,
// how it ended. Kept for the device's next launches. Thread-safe; a worker's thread calls what
// takes its signals.
//
// Nothing can run any more exactly when every worker sleeps, no core is left to start and no kernel
// was woken: only a worker that is awake can change what another waits for. The last worker to fall
// asleep sees it. But a kernel on an Ethernet core may be woken from an open chip at the other end
// of its wire at any time, and a launch on a lane by launches on others and by the host: then only
// the watchdog ends the launch.
class LaunchState final : public LinkUser {
 public:
  // Not the wall clock: it can be set back, and workers would stay awake for as long.
  using Clock = std::chrono::steady_clock;

  // `awake` counts the workers of the device that are awake in launches; all its lanes share it.
  LaunchState(absl::Duration patience, std::atomic<uint32_t>& awake)
      : awake_(awake), watchdog_(patience) {}

  // By the launching thread: begins a launch with these workers, then, after its own leave(), ends
  // it with the result. The launch must live until then.
  // `links`: the wires that its kernels have.
  void open(const Launch& launch, absl::Span<WorkerSignals* const> workers,
            absl::Span<LinkEnd* const> links = {});
  absl::Status close();

  // Waits for a launch to take part in. False when the device shuts down.
  bool await_and_join(WorkerSignals& worker);
  // Until then workers that wait for a launch look for it rather than sleep.
  void stay_awake_until(Clock::time_point time) { awake_until_ = time.time_since_epoch().count(); }
  void shut_down(absl::Span<WorkerSignals* const> workers);

  // The launching worker joins without waiting.
  void join(WorkerSignals& worker);

  // `blocked` is wanted when hopeless().
  void leave(WorkerSignals& worker, std::vector<BlockedKernel> blocked);

  const Launch& launch() const { return *launch_; }
  // How many cores a worker may hold at once: a fair share, so that early workers leave some to
  // late ones.
  uint32_t share() const { return share_; }
  bool alone() const { return share_ >= cores_; }

  bool over() const { return over_.load(std::memory_order_acquire); }
  bool hopeless() const { return hopeless_.load(std::memory_order_acquire); }

  std::optional<uint32_t> claim_core();  // index into LaunchPlan::cores
  void core_ended();

  // The start. Hardware starts all cores within microseconds, so kernels there set up their own L1
  // undisturbed before they signal each other. Here a core may run for long before the next one
  // starts; so a kernel that wants at another core's L1 waits until all are under way: until each
  // kernel has run to where it first wants that, waits, lets others run, or ends.
  bool all_under_way() const { return cores_not_under_way_.load() == 0; }
  void core_is_under_way();
  // A kernel waits for the others from now on, unless this returns true: then all are under way.
  bool await_start();
  // Workers then start their cores before they go on with those they have.
  bool start_is_awaited() const {
    return start_awaited_.load(std::memory_order_relaxed) && !all_under_way();
  }

  // Ends the launch with an error; the first one counts.
  void fail(absl::Status status);

  // Returns when a kernel of this worker was woken, the launch is over, or all kernels are under
  // way that one of this worker's waited for.
  void sleep(WorkerSignals& worker);
  void ring(WorkerSignals& worker);

  // To be called now and then by a worker whose kernels only yield.
  void check_watchdog();

  void link_was_cut() override;

 private:
  void stop(absl::Status status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void give_up(const char* heading, absl::StatusCode code) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool nothing_can_run() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool a_link_may_wake() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool on_a_lane() const { return launch_->plan->lane != 0; }
  bool other_lanes_work() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool may_go_on(const WorkerSignals& worker) const;
  void wait_asleep(WorkerSignals& worker) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool watchdog_expired() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool all_cores_claimed() const { return next_core_.load() >= cores_; }
  void add(WorkerSignals& worker) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void look_for_launch(uint64_t last_seen) const;

  const Launch* launch_ = nullptr;
  uint32_t cores_ = 0;
  uint32_t share_ = 0;
  std::atomic<uint32_t> next_core_{0};
  std::atomic<uint32_t> unfinished_{0};
  std::atomic<uint32_t> cores_not_under_way_{0};
  std::atomic<bool> start_awaited_{false};
  std::atomic<bool> over_{true};
  std::atomic<bool> hopeless_{false};
  std::atomic<uint64_t> opened_{0};  // counts launches
  std::atomic<uint32_t>& awake_;
  std::atomic<Clock::rep> awake_until_{Clock::time_point::min().time_since_epoch().count()};

  Mutex mutex_;
  bool shut_down_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<WorkerSignals*> invited_ ABSL_GUARDED_BY(mutex_);
  std::vector<WorkerSignals*> joined_ ABSL_GUARDED_BY(mutex_);
  uint32_t asleep_ ABSL_GUARDED_BY(mutex_) = 0;
  uint32_t present_ ABSL_GUARDED_BY(mutex_) = 0;
  Condition everyone_left_;
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
  std::vector<BlockedKernel> blocked_ ABSL_GUARDED_BY(mutex_);
  Watchdog watchdog_ ABSL_GUARDED_BY(mutex_);
  uint64_t busy_looks_ ABSL_GUARDED_BY(mutex_) = 0;  // at the watchdog, while other lanes worked
  absl::Span<LinkEnd* const> links_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace lightmetal::device::cpu
