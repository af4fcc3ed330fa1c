#pragma once

#include <atomic>
#include <cstdint>

#include "base/mutex.h"

namespace lightmetal::device::cpu {

struct Waiter;

// The part of a worker that other threads touch.
struct alignas(64) WorkerSignals {
  std::atomic<Waiter*> woken{nullptr};  // a list by next_woken, the last one first
  std::atomic<bool> asleep{false};
  std::atomic<bool> awaits_start{false};  // one of its kernels does. Written by the worker alone.
  // Grows with everything that can end another kernel's wait. Written by the worker alone.
  std::atomic<uint64_t> activity{0};
  // Rounds in which every kernel that could run did nothing but yield. Written by the worker alone.
  std::atomic<uint64_t> idle_rounds{0};
  uint64_t last_launch = 0;  // that it took part in; the worker's own
  bool invited = false;      // to the current launch; guarded by the launch's mutex
  Condition bell;            // with the launch's mutex

  void note_activity() {
    activity.store(activity.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
};

}  // namespace lightmetal::device::cpu
