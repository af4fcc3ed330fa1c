#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <lightmetal/runtime.hpp>
#include <memory>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "api/src/support/process_mark.h"
#include "base/mutex.h"

namespace lightmetal::runtime {

// What an Event stands for: work that is done or not. Thread-safe. In a child that was forked while
// the work was under way, the work counts as done and has failed: nobody there does it.
class Event::State {
 public:
  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State();

  void finish(absl::Status status) ABSL_LOCKS_EXCLUDED(mutex_);
  bool is_done() const { return done_.load(std::memory_order_acquire) || !process_.is_here(); }
  absl::Status wait() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Holds on to something until the work is done, and not at all when it is done already. It is let
  // go of before anybody sees that the work is done.
  void keep(std::shared_ptr<void> kept) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  const tt::tt_metal::ProcessMark process_;
  mutable lightmetal::Mutex mutex_;
  std::unique_ptr<lightmetal::Condition> changed_ = std::make_unique<lightmetal::Condition>();
  std::atomic<bool> done_ = false;  // written under mutex_
  std::vector<std::shared_ptr<void>> kept_ ABSL_GUARDED_BY(mutex_);
  absl::Status status_;  // written under mutex_ before `done_`, and never again
};

// A thread that does pieces of work one after the other, in the order in which they are given.
// Thread-safe. A forked child has the object without its thread: work that is given there has
// failed, and the object must not be destroyed there.
class Lane {
 public:
  Lane();
  // Does what was given before.
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  // What work waits for: when one of those that it needs has failed, the work is not done, and has
  // failed as well; those that it follows may fail.
  struct Dependencies {
    std::vector<Event> needs;
    std::vector<Event> follows;
  };

  // Does the work once `dependencies` are done. REQUIRES: what they wait for was given before.
  Event push(Dependencies dependencies, std::function<absl::Status()> work)
      ABSL_LOCKS_EXCLUDED(mutex_);

  std::thread::id thread() const { return thread_.get_id(); }
  // OK in the process that has the thread.
  absl::Status status() const { return process_.status(); }

 private:
  struct Job {
    Dependencies dependencies;
    std::function<absl::Status()> work;
    std::shared_ptr<Event::State> done;
  };

  void run();
  bool take(Job& job) ABSL_LOCKS_EXCLUDED(mutex_);

  const tt::tt_metal::ProcessMark process_;
  lightmetal::Mutex mutex_;
  lightmetal::Condition changed_;
  std::deque<Job> jobs_ ABSL_GUARDED_BY(mutex_);
  bool closing_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace lightmetal::runtime
