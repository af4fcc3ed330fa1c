#include "device/cpu/word_waiters.h"

#include <algorithm>

#include "device/cpu/worker.h"

namespace lightmetal::device::cpu {

bool WordWaiters::park(KernelRun& run) {
  MutexLock lock(&mutex_);
  // Announced before the word is read: written() reads the count after its bytes are there, so one
  // of the two sees the other.
  count_.fetch_add(1);
  if (holds(run.wait, l1_)) {
    count_.fetch_sub(1);
    return false;
  }
  *std::find(parked_.begin(), parked_.end(), nullptr) = &run;
  return true;
}

bool WordWaiters::remove(KernelRun& run) {
  auto* const place = std::find(parked_.begin(), parked_.end(), &run);
  if (place == parked_.end()) return false;
  *place = nullptr;
  count_.fetch_sub(1);
  return true;
}

bool WordWaiters::take_if_satisfied(KernelRun& run) {
  if (!holds(run.wait, l1_)) return false;
  MutexLock lock(&mutex_);
  return remove(run);
}

void WordWaiters::forget(KernelRun& run) {
  MutexLock lock(&mutex_);
  remove(run);
}

void WordWaiters::increment(uint32_t address, uint32_t amount) {
  MutexLock lock(&mutex_);
  // The value before counts too: a store by kernel code may have put it there unseen.
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
  if (count_.fetch_add(0) == 0) return;
  MutexLock lock(&mutex_);
  wake_satisfied(address, address + size);
}

void WordWaiters::wake_satisfied(uint32_t begin, uint64_t end) {
  for (KernelRun*& run : parked_) {
    if (run == nullptr || run->wait.subject >= end || begin >= uint64_t{run->wait.subject} + 4)
      continue;
    if (!holds(run->wait, l1_)) continue;
    KernelRun& woken = *run;
    run = nullptr;
    count_.fetch_sub(1);
    woken.worker->wake(woken);
  }
}

}  // namespace lightmetal::device::cpu
