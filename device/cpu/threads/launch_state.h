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

// What the workers of one scheduler share during a launch: which cores are left to start, who
// sleeps, how the launch has ended. One LaunchState serves all launches of its scheduler, one after
// the other. Thread-safe; a function that takes one worker's signals is called by that worker's
// thread, except for ring().
//
// Nothing can run any more exactly when every worker sleeps, no core is left to start and no kernel
// was woken: only a worker that is awake can change what another waits for. The last worker to fall
// asleep sees it. But a kernel on an Ethernet core may be woken from an open chip at the other end
// of its wire at any time, and a launch on a lane by launches on other lanes and by the host: then
// only the watchdog ends the launch.
class LaunchState final : public LinkUser {
 public:
  // Not the wall clock, which can be set back: workers would stay awake until it has caught up.
  using Clock = std::chrono::steady_clock;

  // `patience` is the watchdog's. `awake` counts the workers that are awake in launches; all lanes
  // of a device share it, and it outlives them.
  LaunchState(absl::Duration patience, std::atomic<uint32_t>& awake)
      : awake_(awake), watchdog_(patience) {}

  // open() begins a launch with these workers, and close(), after the launching worker's own
  // leave(), waits for the others and returns how the launch has ended. Both are called by the
  // launching thread. `launch` and `links`, the wires of its kernels, must live until close()
  // returns.
  void open(const Launch& launch, absl::Span<WorkerSignals* const> workers,
            absl::Span<LinkEnd* const> links = {});
  absl::Status close();

  // Waits for a launch, joins it and returns true. False when the scheduler shuts down.
  bool await_and_join(WorkerSignals& worker);
  // Until `time`, workers that wait for a launch look for it again and again rather than sleep.
  void stay_awake_until(Clock::time_point time) { awake_until_ = time.time_since_epoch().count(); }
  void shut_down(absl::Span<WorkerSignals* const> workers);

  // The launching worker joins without waiting.
  void join(WorkerSignals& worker);

  // Ends the worker's part in the launch. `blocked` lists its kernels that have not ended, when
  // hopeless(); it is empty otherwise.
  void leave(WorkerSignals& worker, std::vector<BlockedKernel> blocked);

  const Launch& launch() const { return *launch_; }
  // How many cores a worker may hold at once: a fair share, so that early workers leave some to
  // late ones.
  uint32_t share() const { return share_; }
  // Whether one worker has all cores, so that no other worker of the launch can wake its kernels.
  bool alone() const { return share_ >= cores_; }

  // Whether the launch has ended, well or not; and whether it was given up as a deadlock.
  bool over() const { return over_.load(std::memory_order_acquire); }
  bool hopeless() const { return hopeless_.load(std::memory_order_acquire); }

  // Gives the caller a core to start, as an index into LaunchPlan::cores; none when all are taken.
  std::optional<uint32_t> claim_core();
  // All kernels of a core have ended. The last core ends the launch.
  void core_ended();

  // The start. Hardware starts all cores within microseconds, so kernels there set up their own L1
  // undisturbed before they signal each other. Here a core may run for long before the next one
  // starts. So a kernel that is about to use another core's L1 waits until all kernels are under
  // way: until each has come to where it first wants another core's L1, or waits, or lets others
  // run, or has ended.
  bool all_under_way() const { return cores_not_under_way_.load() == 0; }
  void core_is_under_way();
  // Notes that a kernel waits for the others. True when all are under way: then it need not wait.
  bool await_start();
  // Whether a kernel waits for the start. Workers then start cores before they go on with others.
  bool start_is_awaited() const {
    return start_awaited_.load(std::memory_order_relaxed) && !all_under_way();
  }

  // Ends the launch with an error; the first one counts.
  void fail(absl::Status status);

  // Returns when a kernel of this worker was woken, when the launch is over, or when all kernels
  // are under way and one of this worker's waited for that.
  void sleep(WorkerSignals& worker);
  // Ends that worker's sleep. Any thread.
  void ring(WorkerSignals& worker);

  // To be called now and then by a worker whose kernels do nothing but yield.
  void check_watchdog();
  // Ends the launch because its kernels poll and nothing changes.
  void give_up_polling();
  // Whether something that is not of this launch may end a wait of its kernels.
  bool may_be_woken_from_outside();

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
  std::atomic<uint64_t> opened_{0};  // how many launches have been opened
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
  // How often somebody asked the watchdog while other lanes worked, which counts as activity.
  uint64_t busy_looks_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Span<LinkEnd* const> links_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace lightmetal::device::cpu
