#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "base/mutex.h"
#include "device/cpu/machine/waiter.h"

namespace lightmetal::device::cpu {

inline constexpr uint32_t kProcessors = 3;  // that run kernels on one core

// The kernels of one core that wait for a word of its L1, and the ways others change such a word. A
// waiting kernel sees every value that a word takes through this class, however short: 1, 2, 3 ends
// a wait for 2. Stores by kernel code itself are seen when the core's worker looks
// (take_if_satisfied). Thread-safe.
class WordWaiters {
 public:
  explicit WordWaiters(std::byte* l1) : l1_(l1) {}

  // The word at an L1 address. REQUIRES: it is aligned and inside L1.
  static std::atomic_ref<uint32_t> word(std::byte* l1, uint32_t address) {
    return std::atomic_ref<uint32_t>(*reinterpret_cast<uint32_t*>(l1 + address));
  }
  static bool holds(const Wait& wait, std::byte* l1) {
    return satisfied(wait, word(l1, wait.subject).load(std::memory_order_acquire));
  }

  // Registers a kernel of this core; false when its wait holds already. Once it holds, the worker
  // is told (KernelHost::wake).
  bool park(Waiter& waiter);

  // Unregisters a kernel whose wait holds now: the caller wakes it. False when it does not hold or
  // was woken already.
  bool take_if_satisfied(Waiter& waiter);

  void forget(Waiter& waiter);

  // One step each, whatever the amount. REQUIRES: as word().
  void increment(uint32_t address, uint32_t amount);
  void store(uint32_t address, uint32_t value, uint32_t mask);  // the bits of `mask`

  // Call after a write of any size into this L1.
  void written(uint32_t address, uint64_t size);
  // The same for the thread of the core's own worker, which parks its kernels itself: it needs no
  // fence to see them, and a fence would hold up the next copy until this one has come from DRAM.
  void written_by_own_worker(uint32_t address, uint64_t size) {
    if (count_.load(std::memory_order_relaxed) != 0) written(address, size);
  }

 private:
  static bool satisfied(const Wait& wait, uint32_t value) {
    if (wait.at_most) return value <= wait.amount;
    return wait.at_least ? value >= wait.amount : value == wait.amount;
  }
  void wake_satisfied(uint32_t begin, uint64_t end) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool remove(Waiter& waiter) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  std::byte* const l1_;
  Mutex mutex_;
  std::array<Waiter*, kProcessors> parked_ ABSL_GUARDED_BY(mutex_){};
  std::atomic<uint32_t> count_{0};  // of parked_; changes under mutex_
};

}  // namespace lightmetal::device::cpu
