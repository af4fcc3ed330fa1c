#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "device/cpu/kernels/kernel_run.h"
#include "device/cpu/machine/machine.h"
#include "device/cpu/machine/waiter.h"
#include "device/cpu/schedule/random_schedule.h"
#include "device/cpu/threads/launch_state.h"

namespace lightmetal::device::cpu {

// Kernels that can run, first in, first out.
class ReadyQueue {
 public:
  void push(KernelRun& run);
  KernelRun& pop();           // REQUIRES: not empty
  KernelRun& pop_foremost();  // the first of the highest priority. REQUIRES: not empty
  void clear() { *this = {}; }
  uint32_t size() const { return size_; }

 private:
  KernelRun& take_after(KernelRun* before);

  KernelRun* first_ = nullptr;
  KernelRun* last_ = nullptr;
  uint32_t size_ = 0;
};

// Runs kernels on one thread. A worker starts a core when none of its kernels can go on, and keeps
// all kernels of a core to their end. So cores that do not wait for each other run one after the
// other, with their memory in the processor's caches. All functions are for the worker's own
// thread, except for wake(), which it has from KernelHost.
//
// A worker that has a launch for itself runs its kernels in an order that the launch alone decides:
// in turn, as they became ready. With a random schedule, all cores are started first, and then the
// kernel with the highest priority goes on, each time.
class Worker final : public KernelHost {
 public:
  // `schedule`, if any, is the scheduler's. `most_polls`, if any: how often in a row the kernels of
  // a launch may poll while nothing changes. Without it, the watchdog's time decides. `splits`: the
  // parts of compute kernels run as three processors.
  Worker(Machine& machine, LaunchState& launch, RandomSchedule* schedule,
         std::optional<uint64_t> most_polls, bool splits)
      : KernelHost(machine),
        launch_(launch),
        schedule_(schedule),
        most_polls_(most_polls),
        splits_(splits) {}

  WorkerSignals& signals() { return signals_; }

  // Works until the launch is over, then leaves it. REQUIRES: the worker has joined the launch.
  void work();

  bool all_under_way() override { return launch_.await_start(); }

 private:
  void ring() override { launch_.ring(signals_); }
  void step();
  void step_at_random();
  bool let_one_arrive();
  void take_started();
  bool only_yielding() const { return yields_ >= ready_.size(); }
  bool start_next_core();
  absl::Status start_core(const CorePlan& plan);
  absl::Status start_kernel(const CorePlan& plan, const KernelOnCore& kernel, CoreState& core,
                            std::optional<kernel_abi::Part> part);
  absl::Status start_parts(const CorePlan& plan, const KernelOnCore& kernel, CoreState& core);
  bool marks_kernel(const KernelRun& run) const;
  void run(KernelRun& run);
  void note_under_way(KernelRun& run);
  void end(KernelRun& run);
  void release_core(CoreState& core);
  void note_core(const CoreState& core) const;
  void wake_neighbours(CoreState& core);
  void make_ready(KernelRun& run);
  void take_woken();
  void rest();
  void go_round();
  void count_polls(uint64_t polls, uint64_t most_polls);

  std::vector<BlockedKernel> give_up_cores();

  absl::StatusOr<KernelRun*> take_run();

  LaunchState& launch_;
  RandomSchedule* const schedule_;
  const std::optional<uint64_t> most_polls_;
  const bool splits_;
  uint64_t polls_ = 0;  // since the last activity, of which `last_activity_` is the count
  uint64_t last_activity_ = 0;
  ReadyQueue ready_;
  ReadyQueue awaiting_start_;
  uint32_t yields_ = 0;            // how many kernels in a row did nothing but yield
  std::vector<CoreState*> cores_;  // the cores that were started and have not ended
  std::vector<std::unique_ptr<KernelRun>> runs_;
  std::vector<KernelRun*> free_runs_;
};

}  // namespace lightmetal::device::cpu
