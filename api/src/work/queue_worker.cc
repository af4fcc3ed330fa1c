#include "api/src/work/queue_worker.h"

#include <exception>
#include <system_error>
#include <thread>
#include <tt-metalium/assert.hpp>
#include <utility>

#include "api/src/work/event_progress.h"
#include "base/spin.h"

namespace tt::tt_metal {

using lightmetal::becomes_true_soon;
using std::chrono::steady_clock;

namespace {

// How long wait_patiently() waits while no operation ends: kernels may be slow.
constexpr std::chrono::seconds kPatience{5};
constexpr std::chrono::milliseconds kLooksAgain{1};

template <class Function>
std::thread started(Function function) {
  try {
    return std::thread(std::move(function));
  } catch (const std::system_error& error) {
    TT_THROW("No thread can be started for a command queue: {}", error.code().message());
  }
}

}  // namespace

QueueWorker::QueueWorker() : thread_(started([this] { run(); })) {}

uint64_t QueueWorker::push(Operation operation) {
  process_.check();
  lightmetal::MutexLock lock(&mutex_);
  incoming_.push_back(std::move(operation));
  const uint64_t ticket = pushed_.load(std::memory_order_relaxed) + 1;
  pushed_.store(ticket, std::memory_order_release);
  // A thread that spins finds the ticket by itself.
  if (sleeping_) work_arrived_.notify_one();
  return ticket;
}

void QueueWorker::wait(uint64_t ticket) {
  if (becomes_true_soon([&] { return is_done(ticket); })) return;
  process_.check();
  lightmetal::MutexLock lock(&mutex_);
  // Before the look at done_: so either finish_one() sees this waiter, or this thread sees that the
  // work is done.
  waiters_.fetch_add(1);
  while (!is_done(ticket)) work_done_.wait(&mutex_);
  waiters_.fetch_sub(1);
}

bool QueueWorker::wait_for(uint64_t ticket, std::chrono::nanoseconds time) {
  if (becomes_true_soon([&] { return is_done(ticket); })) return true;
  process_.check();
  lightmetal::MutexLock lock(&mutex_);
  waiters_.fetch_add(1);  // before the look at done_, as in wait()
  if (!is_done(ticket)) work_done_.wait_for(&mutex_, time);
  waiters_.fetch_sub(1);
  return is_done(ticket);
}

bool QueueWorker::wait_patiently(uint64_t ticket) {
  uint64_t done = done_.load();
  auto deadline = steady_clock::now() + kPatience;
  while (!wait_for(ticket, kLooksAgain)) {
    if (EventProgress::waits_for_unannounced(closing_)) return false;
    const uint64_t done_before = std::exchange(done, done_.load());
    if (done != done_before) deadline = steady_clock::now() + kPatience;
    if (steady_clock::now() >= deadline) return false;
  }
  return true;
}

absl::Status QueueWorker::take_error() {
  if (!has_error_.load(std::memory_order_acquire)) return absl::OkStatus();
  lightmetal::MutexLock lock(&mutex_);
  has_error_.store(false);
  return std::exchange(first_error_, absl::OkStatus());
}

void QueueWorker::stop() {
  if (!thread_.joinable()) return;
  if (!process_.is_here()) {
    // A forked child cannot join the thread, and may not destroy it joinable: the handle is leaked.
    (void)new std::thread(std::move(thread_));
    return;
  }
  {
    lightmetal::MutexLock lock(&mutex_);
    closing_.store(true);
    work_arrived_.notify_one();
  }
  // An operation that waits for an event looks at closing() again.
  EventProgress::wake_waiters();
  thread_.join();
}

void QueueWorker::run() {
  std::vector<Operation> batch;
  while (take(batch)) {
    taken_ += batch.size();
    for (Operation& operation : batch) {
      execute(operation);
      operation = nullptr;  // with what it keeps alive, before anybody sees that it is done
      finish_one();
    }
    batch.clear();
  }
}

bool QueueWorker::take(std::vector<Operation>& batch) {
  becomes_true_soon([this] { return has_new_operations(); });
  lightmetal::MutexLock lock(&mutex_);
  // Under the lock, so push() either sees it or this thread sees the operation.
  sleeping_ = true;
  while (incoming_.empty() && !closing_.load()) work_arrived_.wait(&mutex_);
  sleeping_ = false;
  batch.swap(incoming_);
  return !batch.empty();
}

void QueueWorker::execute(Operation& operation) {
  // Nothing here throws by design. What throws nevertheless (memory that runs out) must reach the
  // user and not end the process.
  try {
    keep_error(operation());
  } catch (const std::exception& error) {
    keep_error(absl::InternalError(error.what()));
  }
}

void QueueWorker::keep_error(absl::Status error) {
  if (error.ok()) return;
  lightmetal::MutexLock lock(&mutex_);
  if (first_error_.ok()) first_error_ = std::move(error);
  num_errors_.fetch_add(1, std::memory_order_release);
  has_error_.store(true, std::memory_order_release);
}

void QueueWorker::finish_one() {
  done_.fetch_add(1);
  // Without a waiter no lock is taken.
  if (waiters_.load() == 0) return;
  lightmetal::MutexLock lock(&mutex_);
  work_done_.notify_all();
}

}  // namespace tt::tt_metal
