#include "api/src/work/event_progress.h"

#include <algorithm>
#include <vector>

#include "base/per_process.h"

namespace tt::tt_metal {
namespace {

// What a queue, or a call of the host, waits for now.
struct Awaited {
  const EventProgress* progress;
  uint64_t recording;
  const std::atomic<bool>* closing;  // the queue's; one that is never set for the host

  bool is_announced() const { return progress->recorded() >= recording; }
};

// All waits of the process, with one lock and one condition for all events: waiting is rare, and a
// queue that closes has to wake whoever waits.
struct Waiting {
  lightmetal::Mutex mutex;
  lightmetal::Condition changed;
  // Each lies with the thread that waits.
  std::vector<const Awaited*> awaited ABSL_GUARDED_BY(mutex);
};

// Never destroyed: queues may wait until the process ends.
Waiting& waiting() { return lightmetal::PerProcess<Waiting>::get(); }

}  // namespace

uint64_t EventProgress::record() {
  lightmetal::MutexLock lock(&mutex_);
  const uint64_t recording = progress_.record();
  recorded_.store(recording);
  return recording;
}

void EventProgress::reach(uint64_t recording) {
  {
    lightmetal::MutexLock lock(&mutex_);
    progress_.reach(recording);
  }
  wake_waiters();
}

bool EventProgress::has_reached(uint64_t recording) const {
  lightmetal::MutexLock lock(&mutex_);
  return progress_.has_reached(recording);
}

void EventProgress::end_waits() {
  {
    lightmetal::MutexLock lock(&mutex_);
    progress_.end_waits();
  }
  wake_waiters();
}

bool EventProgress::wait(uint64_t recording, const std::atomic<bool>& closing) const {
  if (has_reached(recording)) return true;
  Waiting& all = waiting();
  lightmetal::MutexLock lock(&all.mutex);
  while (!has_reached(recording)) {
    if (closing.load() && recorded() < recording) return false;
    const Awaited awaited = {this, recording, &closing};
    all.awaited.push_back(&awaited);
    all.changed.wait(&all.mutex);
    std::erase(all.awaited, &awaited);
  }
  return true;
}

void EventProgress::wait(uint64_t recording) const {
  static const std::atomic<bool> never = false;
  wait(recording, never);
}

bool EventProgress::anyone_waits_for_unannounced() {
  Waiting& all = waiting();
  lightmetal::MutexLock lock(&all.mutex);
  return !std::ranges::all_of(all.awaited, [](const Awaited* it) { return it->is_announced(); });
}

bool EventProgress::waits_for_unannounced(const std::atomic<bool>& closing) {
  Waiting& all = waiting();
  lightmetal::MutexLock lock(&all.mutex);
  return std::ranges::any_of(all.awaited, [&](const Awaited* awaited) {
    return awaited->closing == &closing && !awaited->is_announced();
  });
}

void EventProgress::wake_waiters() {
  Waiting& all = waiting();
  lightmetal::MutexLock lock(&all.mutex);
  all.changed.notify_all();
}

}  // namespace tt::tt_metal
