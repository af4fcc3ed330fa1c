#pragma once

#include <atomic>
#include <cstdint>

#include "base/mutex.h"

namespace lightmetal::device::cpu {

class KernelHost;
class Machine;

// What a kernel waits for. Passed by value, in registers: what is stored in parts and then loaded
// as a whole, as copies in memory are, waits until all stores before it have reached the cache, and
// after a NoC transfer those are many.
struct Wait {
  enum class Kind : uint8_t { kPagesAtFront, kPagesFree, kWord };
  Kind kind = Kind::kWord;
  bool at_least = false;  // the word may also be greater
  bool at_most = false;   // the word may also be smaller
  uint32_t subject = 0;   // circular buffer index, or L1 address of the word
  uint32_t amount = 0;    // pages, or the word's value
};

// A kernel as those see it who may end its wait.
struct Waiter {
  Wait wait;
  KernelHost* worker = nullptr;
  Waiter* next_woken = nullptr;  // of WorkerSignals::woken
};

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

// A worker as its kernels see it, and those who wake them.
class KernelHost {
 public:
  explicit KernelHost(Machine& machine) : machine_(machine) {}
  KernelHost(const KernelHost&) = delete;
  KernelHost& operator=(const KernelHost&) = delete;

  Machine& machine() { return machine_; }
  void note_activity() { signals_.note_activity(); }

  // Puts a blocked kernel of this worker back to work. Any thread; the wait must hold and the
  // kernel be unregistered.
  void wake(Waiter& waiter) {
    waiter.next_woken = signals_.woken.load();
    while (!signals_.woken.compare_exchange_weak(waiter.next_woken, &waiter)) {
    }
    if (signals_.asleep.load()) ring();
  }

  // Whether no kernel of the launch is left to wait for. If one is, the caller suspends its own.
  virtual bool all_under_way() = 0;

 protected:
  ~KernelHost() = default;

  Machine& machine_;
  WorkerSignals signals_;

 private:
  virtual void ring() = 0;  // ends the sleep of the worker's thread
};

}  // namespace lightmetal::device::cpu
