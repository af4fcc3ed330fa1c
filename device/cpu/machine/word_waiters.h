#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "base/mutex.h"
#include "device/cpu/machine/waiter.h"

namespace lightmetal::device::cpu {

inline constexpr uint32_t kProcessors = 3;  // at most so many kernels are on one core
// At most so many processors run them: three run a compute kernel that is in parts.
inline constexpr uint32_t kMostRuns = 5;

// The kernels of one core that wait for a word of its L1, and the ways in which others change such
// a word. A waiting kernel sees every value that a word takes through this class, however short the
// time: 1, 2, 3 ends a wait for 2. A store by kernel code itself is seen when the core's worker
// looks (take_if_satisfied). Thread-safe.
//
// Only one thread wakes a parked kernel: the one that removes it from the table, which happens
// under the mutex.
class WordWaiters {
 public:
  explicit WordWaiters(std::byte* l1) : l1_(l1) {}

  // The word at an L1 address. REQUIRES: it is aligned and inside L1.
  static std::atomic_ref<uint32_t> word(std::byte* l1, uint32_t address) {
    return std::atomic_ref<uint32_t>(*reinterpret_cast<uint32_t*>(l1 + address));
  }
  // Whether the word has the value that `wait` waits for. REQUIRES: a wait for a word.
  static bool holds(const Wait& wait, std::byte* l1) {
    return satisfied(wait, word(l1, wait.subject).load(std::memory_order_acquire));
  }

  // Registers a kernel of this core and returns true; false when the kernel's wait holds already.
  // Once the wait holds, the kernel's worker is told (KernelHost::wake). The Waiter must live until
  // it is woken or forgotten.
  bool park(Waiter& waiter);

  // Unregisters a kernel whose wait holds now; the caller makes it run. False when the wait does
  // not hold, or when another thread has woken the kernel already.
  bool take_if_satisfied(Waiter& waiter);

  // Unregisters a kernel whose launch was given up. Harmless when the kernel is not registered.
  void forget(Waiter& waiter);

  // Change a word in one step and wake kernels whose wait then holds: add `amount`, or replace the
  // bits of `mask` by those of `value`. REQUIRES: as word().
  void increment(uint32_t address, uint32_t amount);
  void store(uint32_t address, uint32_t value, uint32_t mask);

  // True while a kernel is registered.
  bool has_any() const { return count_.load() != 0; }

  // Wakes kernels whose wait holds. Call after a write of any size into this L1.
  void written(uint32_t address, uint64_t size);
  // The same, for the thread of the core's own worker. That thread parks the core's kernels itself,
  // so it sees them without a fence; a fence would hold up the next copy until this one has come
  // from DRAM.
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
  std::array<Waiter*, kMostRuns> parked_ ABSL_GUARDED_BY(mutex_){};
  std::atomic<uint32_t> count_{0};  // of parked_; changes under mutex_
};

}  // namespace lightmetal::device::cpu
