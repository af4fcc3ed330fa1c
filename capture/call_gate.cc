#include "capture/call_gate.h"

#include <chrono>

namespace lightmetal::capture {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPatience{50};
// A snapshot that takes longer waits for this thread: it holds what the snapshot waits for.
constexpr std::chrono::seconds kLongestSnapshot{60};

}  // namespace

void CallGate::enter() {
  MutexLock lock(&mutex_);
  if (closing_) wait_for_quiet();
  const auto deadline = steady_clock::now() + kLongestSnapshot;
  while (closed_ && steady_clock::now() < deadline) changed_.wait_for(&mutex_, kLongestSnapshot);
  ++inside_;
}

void CallGate::wait_for_quiet() {
  const auto deadline = steady_clock::now() + kPatience;
  while (closing_ && !closed_) {
    if (steady_clock::now() >= deadline) {
      closing_ = false;
      gave_up_ = true;
      return;
    }
    changed_.wait_for(&mutex_, kPatience);
  }
}

bool CallGate::leave(bool wants_to_close, bool urgent) {
  MutexLock lock(&mutex_);
  --inside_;
  if (!wants_to_close || closed_) return false;
  if (inside_ > 0) {
    closing_ = urgent && !gave_up_;
    return false;
  }
  closed_ = true;
  closing_ = gave_up_ = false;
  return true;
}

void CallGate::open() {
  MutexLock lock(&mutex_);
  closed_ = false;
  changed_.notify_all();
}

}  // namespace lightmetal::capture
