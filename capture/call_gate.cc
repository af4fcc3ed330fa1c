#include "capture/call_gate.h"

#include <chrono>
#include <utility>

#include "base/per_process.h"
#include "capture/capture.h"

namespace lightmetal::capture {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kNoPatience{0};
// How long a call waits for a snapshot. One that takes longer is taken to wait for this thread: the
// thread holds what the snapshot waits for.
constexpr std::chrono::seconds kLongestSnapshot{60};

// The number of passes that this thread has.
thread_local constinit int t_passes = 0;

}  // namespace

void CallGate::enter() {
  MutexLock lock(&mutex_);
  // Before this thread counts as inside, or the quiet moment could not come.
  if (patience_ > kNoPatience && t_passes == 0) wait_for_quiet();
  const auto deadline = steady_clock::now() + kLongestSnapshot;
  while (closed_ && steady_clock::now() < deadline) changed_.wait_for(&mutex_, kLongestSnapshot);
  ++inside_;
}

void CallGate::wait_for_quiet() {
  const auto begin = steady_clock::now();
  while (patience_ > kNoPatience && !closed_) {
    if (steady_clock::now() - begin >= patience_) {
      waited_in_vain_ = patience_;
      stop_waiting();
      return;
    }
    changed_.wait_for(&mutex_, patience_);
  }
}

void CallGate::stop_waiting() {
  if (std::exchange(patience_, kNoPatience) > kNoPatience) changed_.notify_all();
}

bool CallGate::leave(bool wants_to_close, milliseconds patience) {
  MutexLock lock(&mutex_);
  --inside_;
  if (inside_ == 0) stop_waiting();
  if (!wants_to_close || closed_) return false;
  if (inside_ > 0) {
    // Only a longer wait than the one that did not help is worth trying.
    patience_ = patience > waited_in_vain_ ? patience : kNoPatience;
    return false;
  }
  closed_ = true;
  waited_in_vain_ = kNoPatience;
  return true;
}

void CallGate::open() {
  MutexLock lock(&mutex_);
  closed_ = false;
  changed_.notify_all();
}

CallGate& call_gate() { return PerProcess<CallGate>::get(); }

GatePass::GatePass() : is_gated_((g_mode.load(std::memory_order_relaxed) & kGated) != 0) {
  if (!is_gated_) return;
  call_gate().enter();
  ++t_passes;
}

GatePass::~GatePass() {
  if (!is_gated_) return;
  --t_passes;
  (void)call_gate().leave(/*wants_to_close=*/false, kNoPatience);
}

}  // namespace lightmetal::capture
