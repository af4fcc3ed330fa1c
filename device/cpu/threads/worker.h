#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "device/cpu/kernels/kernel_run.h"
#include "device/cpu/machine/machine.h"
#include "device/cpu/machine/waiter.h"
#include "device/cpu/threads/launch_state.h"

namespace lightmetal::device::cpu {

// Kernels that can run, first in, first out.
class ReadyQueue {
 public:
  void push(KernelRun& run);
  KernelRun& pop();  // REQUIRES: not empty
  void clear() { *this = {}; }
  uint32_t size() const { return size_; }

 private:
  KernelRun* first_ = nullptr;
  KernelRun* last_ = nullptr;
  uint32_t size_ = 0;
};

// Runs kernels on one thread. It starts a core when nothing it has can go on, and keeps all kernels
// of a core to the end; so cores that do not wait for each other run one after the other, with
// their memory warm. For the launch's own thread, except where said.
class Worker final : public KernelHost {
 public:
  Worker(Machine& machine, LaunchState& launch) : KernelHost(machine), launch_(launch) {}

  WorkerSignals& signals() { return signals_; }

  // Works until the launch is over. REQUIRES: joined; leaves.
  void work();

  bool all_under_way() override { return launch_.await_start(); }

 private:
  void ring() override { launch_.ring(signals_); }
  void step();
  void take_started();
  bool only_yielding() const { return yields_ >= ready_.size(); }
  bool start_next_core();
  absl::Status start_core(const CorePlan& plan);
  void run(KernelRun& run);
  void note_under_way(KernelRun& run);
  void end(KernelRun& run);
  void release_core(CoreState& core);
  void wake_neighbours(CoreState& core);
  void make_ready(KernelRun& run);
  void take_woken();
  void rest();
  void go_round();

  std::vector<BlockedKernel> give_up_cores();

  absl::StatusOr<KernelRun*> take_run();

  LaunchState& launch_;
  ReadyQueue ready_;
  ReadyQueue awaiting_start_;
  uint32_t yields_ = 0;            // kernels in a row that did nothing but yield
  std::vector<CoreState*> cores_;  // started and not ended
  std::vector<std::unique_ptr<KernelRun>> runs_;
  std::vector<KernelRun*> free_runs_;
};

}  // namespace lightmetal::device::cpu
