#include "device/cpu/threads/watchdog.h"

namespace lightmetal::device::cpu {
namespace {

// Kernels that poll use a processor all the time, unless other processes need it.
constexpr int kLeastShare = 10;

}  // namespace

void Watchdog::restart(Moment now) {
  quiet_since_ = now;
  rounds_.clear();
}

bool Watchdog::expired(Moment now, absl::Span<WorkerSignals* const> workers, uint64_t arrivals) {
  // A worker that joins changes the sum, too, so rounds_ always has an entry for each worker.
  uint64_t activity = arrivals + workers.size();
  for (const WorkerSignals* worker : workers)
    activity += worker->activity.load(std::memory_order_relaxed);
  if (activity != activity_) {
    activity_ = activity;
    restart(now);
  }
  if (now.time - quiet_since_.time < patience_) return false;
  if (!rounds_.empty()) return all_went_round(now, workers);
  for (const WorkerSignals* worker : workers)
    rounds_.push_back(worker->idle_rounds.load(std::memory_order_relaxed));
  return false;
}

bool Watchdog::all_went_round(Moment now, absl::Span<WorkerSignals* const> workers) const {
  const bool has_run = now.used - quiet_since_.used >= patience_ / kLeastShare;
  for (size_t i = 0; i < workers.size(); ++i) {
    // Two more rounds, because in the round that was under way when the rounds were first counted a
    // kernel may have computed for long.
    const uint64_t rounds = workers[i]->idle_rounds.load(std::memory_order_relaxed);
    if (!workers[i]->asleep.load() && (!has_run || rounds < rounds_[i] + 2)) return false;
  }
  return true;
}

}  // namespace lightmetal::device::cpu
