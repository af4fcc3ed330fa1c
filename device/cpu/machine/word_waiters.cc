#include "device/cpu/machine/word_waiters.h"

#include <algorithm>
#include <utility>

namespace lightmetal::device::cpu {

bool WordWaiters::park(Waiter& waiter) {
  MutexLock lock(&mutex_);
  // The count grows before the word is read, and written() reads the count after its bytes are
  // there, so one of the two threads sees the other.
  count_.fetch_add(1);
  if (holds(waiter.wait, l1_)) {
    count_.fetch_sub(1);
    return false;
  }
  *std::find(parked_.begin(), parked_.end(), nullptr) = &waiter;
  return true;
}

bool WordWaiters::remove(Waiter& waiter) {
  auto* const place = std::find(parked_.begin(), parked_.end(), &waiter);
  if (place == parked_.end()) return false;
  *place = nullptr;
  count_.fetch_sub(1);
  return true;
}

bool WordWaiters::take_if_satisfied(Waiter& waiter) {
  if (!holds(waiter.wait, l1_)) return false;
  MutexLock lock(&mutex_);
  return remove(waiter);
}

void WordWaiters::forget(Waiter& waiter) {
  MutexLock lock(&mutex_);
  remove(waiter);
}

void WordWaiters::increment(uint32_t address, uint32_t amount) {
  MutexLock lock(&mutex_);
  // The value before the change counts, too: a store by kernel code may have put it there unseen.
  wake_satisfied(address, uint64_t{address} + 4);
  word(l1_, address).fetch_add(amount);
  wake_satisfied(address, uint64_t{address} + 4);
}

void WordWaiters::store(uint32_t address, uint32_t value, uint32_t mask) {
  MutexLock lock(&mutex_);
  wake_satisfied(address, uint64_t{address} + 4);
  std::atomic_ref<uint32_t> target = word(l1_, address);
  uint32_t before = target.load();
  while (!target.compare_exchange_weak(before, (before & ~mask) | (value & mask))) {
  }
  wake_satisfied(address, uint64_t{address} + 4);
}

void WordWaiters::written(uint32_t address, uint64_t size) {
  // Adding nothing is a full barrier: the count is read after the caller's bytes are visible.
  if (count_.fetch_add(0) == 0) return;
  MutexLock lock(&mutex_);
  wake_satisfied(address, address + size);
}

void WordWaiters::wake_satisfied(uint32_t begin, uint64_t end) {
  for (Waiter*& waiter : parked_) {
    if (waiter == nullptr || waiter->wait.subject >= end ||
        begin >= uint64_t{waiter->wait.subject} + 4)
      continue;
    if (!holds(waiter->wait, l1_)) continue;
    Waiter& woken = *std::exchange(waiter, nullptr);
    count_.fetch_sub(1);
    woken.worker->wake(woken);
  }
}

}  // namespace lightmetal::device::cpu
