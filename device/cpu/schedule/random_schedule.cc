#include "device/cpu/schedule/random_schedule.h"

#include <utility>

#include "device/cpu/sfpu/random.h"

namespace lightmetal::device::cpu {

using kernel_abi::NocBarrier;

uint32_t RandomSchedule::below(uint64_t count) {
  return static_cast<uint32_t>(next_random(&state_) * count >> 32);
}

void RandomSchedule::begin_launch() {
  calls_per_switch_ = 1u << 2 * below(4);
  runs_per_change_ = 1u << 3 * below(3);
  steps_per_arrival_ = 1u << 3 * below(4);
  polls_come_last_ = chance(2);
}

// The kernel itself is held up before or after the start: what others see is the same.
void RandomSchedule::add(KernelRun& run, InFlight::Item item) {
  constexpr uint64_t kMostInFlight = 256;
  item.kernel = &run;
  in_flight_.add(std::move(item));
  if (in_flight_.size() > kMostInFlight) let_one_arrive();
}

void RandomSchedule::start(KernelRun& run, const Transfer& transfer, bool is_signal) {
  let_others_run(run);
  if (is_signal && transfer.kind != TransferKind::kRead) {
    uint32_t value = 0;
    copy_device_memory(reinterpret_cast<std::byte*>(&value), transfer.source.data(), sizeof(value));
    return add(run, {.effect = InFlight::Effect::kStore,
                     .transfer = transfer,
                     .value = value,
                     .mask = ~uint32_t{0}});
  }
  add(run, {.transfer = transfer});
}

void RandomSchedule::store(KernelRun& run, const MemoryRange& word, uint32_t value, uint32_t mask) {
  let_others_run(run);
  add(run, {.effect = InFlight::Effect::kStore,
            .transfer = {.kind = TransferKind::kWrite, .source = {}, .target = word, .size = 4},
            .value = value,
            .mask = mask});
}

void RandomSchedule::increment(KernelRun& run, const MemoryRange& word, uint32_t amount) {
  let_others_run(run);
  add(run, {.effect = InFlight::Effect::kIncrement,
            .transfer = {.kind = TransferKind::kWrite, .source = {}, .target = word, .size = 4},
            .value = amount});
}

void RandomSchedule::finish(KernelRun& run, NocBarrier barrier) {
  let_others_run(run);
  if (barrier == NocBarrier::kWritesSent) {
    in_flight_.take_sources(run);
  } else {
    in_flight_.finish(run, barrier);
  }
}

// A kernel that has polled never keeps its rank, or it might poll for ever.
uint32_t RandomSchedule::priority_after(const KernelRun& run) {
  const bool polls = run.state == KernelRun::State::kYielded;
  if (polls && polls_come_last_ && !chance(4)) return 0;
  return polls || chance(runs_per_change_) ? draw_priority() : run.priority;
}

void RandomSchedule::let_some_arrive() {
  while (in_flight_.size() != 0 && chance(steps_per_arrival_)) {
    let_one_arrive();
    if (chance(2)) return;
  }
}

bool RandomSchedule::let_one_arrive() {
  if (in_flight_.size() == 0) return false;
  in_flight_.arrive(below(in_flight_.size()));
  return true;
}

void RandomSchedule::let_all_arrive() {
  while (let_one_arrive()) {
  }
}

}  // namespace lightmetal::device::cpu
