#include "device/cpu/threads/worker.h"

#include <sched.h>

#include <algorithm>
#include <utility>

#include "base/spin.h"
#include "base/status.h"
#include "base/timeline.h"
#include "device/cpu/diagnosis/services.h"
#include "device/cpu/diagnosis/tolerance.h"
#include "device/cpu/ethernet/link_end.h"
#include "device/cpu/faults/fault_handler.h"
#include "device/cpu/kernels/failure.h"
#include "device/cpu/kernels/zones.h"
#include "device/cpu/machine/core_state.h"
#include "device/cpu/services/services.h"
#include "device/cpu/threads/core_setup.h"

namespace lightmetal::device::cpu {
void ReadyQueue::push(KernelRun& run) {
  run.next_ready = nullptr;
  (size_ == 0 ? first_ : last_->next_ready) = &run;
  last_ = &run;
  ++size_;
}

KernelRun& ReadyQueue::pop() {
  KernelRun& run = *first_;
  first_ = run.next_ready;
  --size_;
  return run;
}

// Takes the kernel after `before`, or the first one.
KernelRun& ReadyQueue::take_after(KernelRun* before) {
  KernelRun*& place = before == nullptr ? first_ : before->next_ready;
  KernelRun& run = *place;
  place = run.next_ready;
  if (last_ == &run) last_ = before;
  --size_;
  return run;
}

KernelRun& ReadyQueue::pop_foremost() {
  KernelRun* before_best = nullptr;
  uint32_t best = first_->priority;
  KernelRun* before = first_;
  for (KernelRun* each = first_->next_ready; each != nullptr; each = each->next_ready) {
    if (each->priority > best) {
      best = each->priority;
      before_best = before;
    }
    before = each;
  }
  return take_after(before_best);
}

void Worker::work() {
  yields_ = 0;
  polls_ = 0;
  if (schedule_ == nullptr) {
    while (!launch_.over()) step();
  } else {
    schedule_->begin_launch();
    while (!launch_.over()) step_at_random();
    schedule_->let_all_arrive();
  }
  note_polling_kernel(nullptr);
  launch_.leave(signals_, give_up_cores());
}

// Woken kernels go on before a new core is started, unless a kernel somewhere waits for all cores
// to start.
void Worker::step() {
  take_woken();
  take_started();
  if (launch_.start_is_awaited() && start_next_core()) return;
  if (only_yielding() && !start_next_core()) {
    if (ready_.size() == 0) return rest();
    go_round();
  }
  if (ready_.size() != 0) run(ready_.pop());
}

// Before kernels that only poll go round again, something arrives that they may wait for.
void Worker::step_at_random() {
  if (start_next_core()) return;
  schedule_->let_some_arrive();
  take_woken();
  take_started();
  if (only_yielding()) {
    if (let_one_arrive()) return;
    if (ready_.size() == 0) return rest();
    go_round();
  }
  run(ready_.pop_foremost());
}

bool Worker::let_one_arrive() {
  if (!schedule_->let_one_arrive()) return false;
  yields_ = 0;
  return true;
}

bool Worker::start_next_core() {
  if (cores_.size() >= launch_.share()) return false;
  const std::optional<uint32_t> index = launch_.claim_core();
  if (!index.has_value()) return false;
  yields_ = 0;
  note_activity();
  if (absl::Status status = start_core(launch_.launch().plan->cores[*index]); !status.ok()) {
    launch_.fail(std::move(status));
  }
  return true;
}

absl::Status Worker::start_core(const CorePlan& plan) {
  CoreState& core = machine_.core_of(plan);
  cores_.push_back(&core);
  set_up_core(core);
  if (timeline::is_on()) core.begun = timeline::now();
  core.not_under_way = 0;
  for (const KernelOnCore& kernel : plan.kernels) {
    const bool compute =
        launch_.launch().plan->kernels[kernel.kernel].processor == Processor::kCompute;
    LM_RETURN_IF_ERROR(splits_ && compute ? start_parts(plan, kernel, core)
                                          : start_kernel(plan, kernel, core, std::nullopt));
  }
  if (core.running == 0) {
    launch_.core_is_under_way();
    release_core(core);
  }
  return absl::OkStatus();
}

absl::Status Worker::start_kernel(const CorePlan& plan, const KernelOnCore& kernel, CoreState& core,
                                  std::optional<kernel_abi::Part> part) {
  LM_ASSIGN_OR_RETURN(run, take_run());
  core.runs[core.running++] = run;
  ++core.not_under_way;
  run->worker = this;
  run->core = &core;
  run->part = part;
  run->schedule = schedule_;
  if (schedule_ != nullptr) run->priority = schedule_->draw_priority();
  set_up_kernel(machine_, launch_.launch(), plan, kernel, *run);
  if (marks_kernel(*run)) mark_whole_kernel(*run, machine_.chip_id(), /*begins=*/true);
  ready_.push(*run);
  return absl::OkStatus();
}

absl::Status Worker::start_parts(const CorePlan& plan, const KernelOnCore& kernel,
                                 CoreState& core) {
  using kernel_abi::Part;
  if (core.parts == nullptr) core.parts = std::make_unique<ComputeParts>();
  for (const Part part : {Part::kUnpack, Part::kMath, Part::kPack})
    LM_RETURN_IF_ERROR(start_kernel(plan, kernel, core, part));
  return absl::OkStatus();
}

// Of a kernel in parts the zone of the part that does the math is marked.
bool Worker::marks_kernel(const KernelRun& run) const {
  return machine_.marks_zones() &&
         run.part.value_or(kernel_abi::Part::kMath) == kernel_abi::Part::kMath;
}

absl::StatusOr<KernelRun*> Worker::take_run() {
  if (free_runs_.empty()) {
    LM_ASSIGN_OR_RETURN(fiber, Fiber::create());
    runs_.push_back(std::make_unique<KernelRun>(std::move(fiber)));
    free_runs_.push_back(runs_.back().get());
  }
  KernelRun* run = free_runs_.back();
  free_runs_.pop_back();
  return run;
}

// Resumes a kernel until it has something to wait for. A kernel that only leaves a warning comes
// back for the worker to write it, and goes on at once.
void Worker::run(KernelRun& run) {
  CoreState& core = *run.core;
  while (true) {
    {
      const FaultScope faults_are_reported(run);
      run.fiber->resume();
    }
    if (run.warning == nullptr) [[likely]]
      break;
    show_warning(run);
  }
  if (schedule_ != nullptr) run.priority = schedule_->priority_after(run);
  if (run.state == KernelRun::State::kInterrupted) {
    // The kernel was held up where it wanted to go on, so it need not be under way.
    make_ready(run);
    return wake_neighbours(core);
  }
  if (!run.under_way) note_under_way(run);
  if (run.fiber->idle()) {
    end(run);
  } else if (run.state == KernelRun::State::kAwaitsStart) {
    yields_ = 0;
    note_activity();
    signals_.awaits_start.store(true);
    awaiting_start_.push(run);
  } else if (run.state == KernelRun::State::kYielded) {
    ++yields_;
    note_polling_kernel(&run);
    ready_.push(run);
  } else {
    yields_ = 0;
    note_activity();
    if (!run.failure.ok()) launch_.fail(take_failure(run));
  }
  wake_neighbours(core);
}

void Worker::note_under_way(KernelRun& run) {
  run.under_way = true;
  if (--run.core->not_under_way == 0) launch_.core_is_under_way();
}

void Worker::end(KernelRun& run) {
  yields_ = 0;
  note_activity();
  flush_print(run);
  if (marks_kernel(run)) mark_whole_kernel(run, machine_.chip_id(), /*begins=*/false);
  if (run.context().checks != 0) [[unlikely]] {
    if (absl::Status status = end_diagnosis(run); !status.ok()) launch_.fail(std::move(status));
  }
  run.state = KernelRun::State::kEnded;
  if (--run.core->running == 0) release_core(*run.core);
}

void Worker::release_core(CoreState& core) {
  if (timeline::is_on()) [[unlikely]]
    note_core(core);
  for (KernelRun*& run : core.runs) {
    if (run != nullptr) free_runs_.push_back(std::exchange(run, nullptr));
  }
  if (core.link != nullptr) core.link->kernels_ended();
  cores_.erase(std::find(cores_.begin(), cores_.end(), &core));
  launch_.core_ended();
}

void Worker::note_core(const CoreState& core) const {
  if (core.kind != CoreKind::kWorker) return;
  timeline::add({.kind = timeline::Kind::kCore,
                 .chip = machine_.chip_id(),
                 .begin = core.begun,
                 .end = timeline::now(),
                 .plan = launch_.launch().plan->id,
                 .core = core.core});
}

// Kernel code changes the counters and words of its core's memory without telling anybody, so after
// each run of a kernel the worker asks for the other kernels of the core whether their waits hold.
void Worker::wake_neighbours(CoreState& core) {
  for (KernelRun* other : core.runs) {
    if (other == nullptr || other->state != KernelRun::State::kBlocked) continue;
    const bool is_word = other->wait.kind == Wait::Kind::kWord;
    if (is_word ? core.waiters.take_if_satisfied(*other) : holds(*other)) make_ready(*other);
  }
}

void Worker::make_ready(KernelRun& run) {
  run.state = KernelRun::State::kReady;
  yields_ = 0;
  note_activity();
  ready_.push(run);
}

// The list has the last kernel first; it is turned around, so that kernels go on as they were
// woken.
void Worker::take_woken() {
  if (signals_.woken.load() == nullptr) return;
  Waiter* oldest_first = nullptr;
  for (Waiter* each = signals_.woken.exchange(nullptr); each != nullptr;) {
    Waiter* next = std::exchange(each->next_woken, oldest_first);
    oldest_first = std::exchange(each, next);
  }
  for (Waiter* each = oldest_first; each != nullptr; each = each->next_woken)
    make_ready(static_cast<KernelRun&>(*each));
}

void Worker::take_started() {
  if (awaiting_start_.size() == 0 || !launch_.all_under_way()) return;
  while (awaiting_start_.size() != 0) make_ready(awaiting_start_.pop());
  signals_.awaits_start.store(false);
}

// Looks for a while before it sleeps, unless no other worker is there to wake a kernel meanwhile.
void Worker::rest() {
  const auto may_go_on = [this] {
    return signals_.woken.load() != nullptr || launch_.over() ||
           (awaiting_start_.size() != 0 && launch_.all_under_way());
  };
  if (launch_.alone() || !becomes_true_soon(may_go_on)) launch_.sleep(signals_);
}

// Every kernel that can run has yielded once. Gives the processor to other threads, which may have
// what the kernels poll for, and asks the watchdog now and then.
void Worker::go_round() {
  constexpr uint64_t kRoundsPerCheck = 64;
  const uint32_t polls = std::exchange(yields_, 0);
  if (most_polls_.has_value() && !launch_.may_be_woken_from_outside())
    return count_polls(polls, *most_polls_);
  const uint64_t rounds = signals_.idle_rounds.load(std::memory_order_relaxed) + 1;
  signals_.idle_rounds.store(rounds, std::memory_order_relaxed);
  if (rounds % kRoundsPerCheck == 0) launch_.check_watchdog();
  sched_yield();
}

// Nothing but this worker can change what the kernels poll. So it keeps the processor, and how
// often they have polled decides that they will not end, not the time.
void Worker::count_polls(uint64_t polls, uint64_t most_polls) {
  const uint64_t activity = signals_.activity.load(std::memory_order_relaxed);
  if (std::exchange(last_activity_, activity) != activity) polls_ = 0;
  polls_ += polls;
  if (polls_ >= most_polls) launch_.give_up_polling();
}

std::vector<BlockedKernel> Worker::give_up_cores() {
  std::vector<BlockedKernel> blocked;
  for (CoreState* core : cores_) {
    for (KernelRun*& place : core->runs) {
      if (place == nullptr) continue;
      KernelRun& run = *std::exchange(place, nullptr);
      if (run.state != KernelRun::State::kEnded) {
        if (launch_.hopeless()) blocked.push_back(describe(run));
        core->waiters.forget(run);
        flush_print(run);
        run.fiber->discard();
      }
      free_runs_.push_back(&run);
    }
  }
  cores_.clear();
  ready_.clear();
  awaiting_start_.clear();
  signals_.awaits_start.store(false);
  return blocked;
}

}  // namespace lightmetal::device::cpu
