#include "runtime/lane.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "replay/without_exceptions.h"

namespace lightmetal::runtime {

// ---- Events ----

// A condition for which threads of the parent waited would wait for them as it ends.
Event::State::~State() {
  if (!process_.is_here()) (void)changed_.release();
}

void Event::State::finish(absl::Status status) {
  if (!process_.is_here()) return;
  while (true) {
    // Ends behind the lock.
    std::vector<std::shared_ptr<void>> kept;
    lightmetal::MutexLock lock(&mutex_);
    if (done_) return;
    kept.swap(kept_);
    if (!kept.empty()) continue;
    status_ = std::move(status);
    done_.store(true, std::memory_order_release);
    break;
  }
  changed_->notify_all();
}

void Event::State::keep(std::shared_ptr<void> kept) {
  if (is_done()) return;
  lightmetal::MutexLock lock(&mutex_);
  if (!done_) kept_.push_back(std::move(kept));
}

absl::Status Event::State::wait() const {
  if (done_.load(std::memory_order_acquire)) return status_;
  LM_RETURN_IF_ERROR(process_.status());
  lightmetal::MutexLock lock(&mutex_);
  while (!done_) changed_->wait(&mutex_);
  return status_;
}

Event Event::create() { return Event(std::make_shared<State>()); }

void Event::signal() {
  if (state_ != nullptr) state_->finish(absl::OkStatus());
}

bool query(const Event& event) { return event.state() == nullptr || event.state()->is_done(); }

absl::Status wait(const Event& event) {
  return event.state() == nullptr ? absl::OkStatus() : event.state()->wait();
}

absl::Status wait(absl::Span<const Event> events) {
  absl::Status status;
  for (const Event& event : events) status.Update(wait(event));
  return status;
}

// ---- Lanes ----

namespace {

absl::Status wait_for_all(const Lane::Dependencies& dependencies) {
  wait(dependencies.follows).IgnoreError();
  const absl::Status status = wait(dependencies.needs);
  if (status.ok()) return status;
  return absl::Status(status.code(),
                      absl::StrCat("what this work waits for has failed: ", status.message()));
}

}  // namespace

Lane::Lane() : thread_([this] { run(); }) {}

Lane::~Lane() {
  {
    lightmetal::MutexLock lock(&mutex_);
    closing_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

Event Lane::push(Dependencies dependencies, std::function<absl::Status()> work) {
  auto done = std::make_shared<Event::State>();
  if (absl::Status status = process_.status(); !status.ok()) {
    done->finish(std::move(status));
    return Event(std::move(done));
  }
  {
    lightmetal::MutexLock lock(&mutex_);
    jobs_.push_back({std::move(dependencies), std::move(work), done});
  }
  changed_.notify_one();
  return Event(std::move(done));
}

bool Lane::take(Job& job) {
  lightmetal::MutexLock lock(&mutex_);
  while (jobs_.empty() && !closing_) changed_.wait(&mutex_);
  if (jobs_.empty()) return false;
  job = std::move(jobs_.front());
  jobs_.pop_front();
  return true;
}

void Lane::run() {
  for (Job job; take(job); job = {}) {
    absl::Status status = wait_for_all(job.dependencies);
    if (status.ok()) status = replay::without_exceptions(job.work);
    // What the work holds on to is free before anybody sees that it is done.
    job.work = nullptr;
    job.done->finish(std::move(status));
  }
}

}  // namespace lightmetal::runtime
