#pragma once

#include <atomic>
#include <cstdint>

#include "base/mutex.h"

namespace lightmetal::device::cpu {

class KernelHost;
class Machine;

// What a kernel waits for. A Wait is passed by value, in registers. In memory it would be stored in
// parts and loaded as a whole, and the processor delays such a load until all stores before it have
// reached the cache; after a NoC transfer these stores are many.
struct Wait {
  enum class Kind : uint8_t {
    kPagesAtFront,
    kPagesFree,
    kWord,
    // Waits of the parts of a compute kernel (compute_parts.h).
    kOperands,
    kRoomForOperands,
    kMail,
    kRoomForMail,
    kPartSemaphore,
    kRoomInPartSemaphore,
    kDstFree,
    kDstCommitted
  };
  Kind kind = Kind::kWord;
  bool at_least = false;  // the word may also be greater
  bool at_most = false;   // the word may also be smaller
  // Circular buffer index, L1 address of the word, part that computes on the operands, mailbox, or
  // semaphore.
  uint32_t subject = 0;
  uint32_t amount = 0;  // pages, the word's value, or sections of DST
};

// A kernel, as seen by those who may end its wait: WordWaiters, and the worker that runs the
// kernel.
struct Waiter {
  Wait wait;
  KernelHost* worker = nullptr;
  Waiter* next_woken = nullptr;  // the next in the list WorkerSignals::woken
};

// The part of a worker that other threads touch, on cache lines of its own. A member that only the
// worker writes is loaded and stored in two steps, and is atomic for the sake of its readers.
struct alignas(64) WorkerSignals {
  // Kernels that others have woken: a list by next_woken, the last one first.
  std::atomic<Waiter*> woken{nullptr};
  std::atomic<bool> asleep{false};
  // A kernel of the worker waits until all are under way. Written by the worker alone.
  std::atomic<bool> awaits_start{false};
  // Grows with everything that can end another kernel's wait. Written by the worker alone.
  std::atomic<uint64_t> activity{0};
  // Rounds in which every kernel that could run did nothing but yield. Written by the worker alone.
  std::atomic<uint64_t> idle_rounds{0};
  uint64_t last_launch = 0;  // the number of the last launch it took part in; the worker's own
  bool invited = false;      // to the current launch; guarded by LaunchState's mutex
  Condition bell;            // ends the worker's sleep; used with LaunchState's mutex

  void note_activity() {
    activity.store(activity.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
};

// A worker, as seen by its kernels and by those who wake them. It breaks a circle: kernels and
// services need this much of a worker, and the worker's own folder (threads/) needs kernels.
class KernelHost {
 public:
  explicit KernelHost(Machine& machine) : machine_(machine) {}
  KernelHost(const KernelHost&) = delete;
  KernelHost& operator=(const KernelHost&) = delete;

  Machine& machine() { return machine_; }
  void note_activity() { signals_.note_activity(); }

  // Puts a blocked kernel of this worker back to work. Any thread. The order of the two steps is
  // half of a pair with LaunchState::sleep(): this function adds to the list and then looks at
  // `asleep`; the worker sets `asleep` and then looks at the list. So one of the two sees the
  // other. REQUIRES: the kernel's wait has held, and the kernel is registered nowhere.
  void wake(Waiter& waiter) {
    waiter.next_woken = signals_.woken.load();
    while (!signals_.woken.compare_exchange_weak(waiter.next_woken, &waiter)) {
    }
    if (signals_.asleep.load()) ring();
  }

  // Whether all kernels of the launch are under way (LaunchState::all_under_way). If not, the
  // launch notes that a kernel waits for it, and the caller suspends that kernel.
  virtual bool all_under_way() = 0;

 protected:
  ~KernelHost() = default;

  Machine& machine_;
  WorkerSignals signals_;

 private:
  virtual void ring() = 0;  // ends the sleep of the worker's thread
};

}  // namespace lightmetal::device::cpu
