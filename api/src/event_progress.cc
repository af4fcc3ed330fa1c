#include "api/src/event_progress.h"

#include "base/mutex.h"

namespace tt::tt_metal {
namespace {

// One for all events: waiting is rare, and a queue that closes wakes whoever waits.
struct Waiting {
  lightmetal::Mutex mutex;
  lightmetal::Condition changed;
};

Waiting& waiting() {
  static Waiting& instance = *new Waiting;  // queues may wait until the process ends
  return instance;
}

}  // namespace

void EventProgress::reach(uint64_t recording) {
  uint64_t before = reached_.load();
  while (before < recording && !reached_.compare_exchange_weak(before, recording)) {
  }
  wake_waiters();
}

bool EventProgress::wait(uint64_t recording, const std::atomic<bool>& closing) const {
  if (has_reached(recording)) return true;
  Waiting& all = waiting();
  lightmetal::MutexLock lock(&all.mutex);
  while (!has_reached(recording)) {
    if (closing.load() && recorded() < recording) return false;
    all.changed.wait(&all.mutex);
  }
  return true;
}

void EventProgress::wait(uint64_t recording) const {
  static const std::atomic<bool> never = false;
  wait(recording, never);
}

void EventProgress::wake_waiters() {
  Waiting& all = waiting();
  lightmetal::MutexLock lock(&all.mutex);
  all.changed.notify_all();
}

}  // namespace tt::tt_metal
