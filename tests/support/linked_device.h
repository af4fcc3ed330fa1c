#pragma once

#include <chrono>
#include <cstdint>
#include <set>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "base/mutex.h"

// The CPU device as it is behind a link to the host, which counts what goes over it, takes time for
// that, and can hold what runs. Tests and benchmarks of transfers use it as a backend.
namespace lightmetal::testing {

// What has gone over a link, and what the device behind it was asked for.
struct LinkCounts {
  uint64_t bytes_to_device = 0;
  uint64_t bytes_to_host = 0;
  uint64_t copies = 0;  // within the device
  uint64_t launches = 0;
  uint64_t plans = 0;    // that were launched, each counted once
  uint64_t kernels = 0;  // how often one was loaded
};

// Thread-safe.
class Link {
 public:
  LinkCounts counts() const ABSL_LOCKS_EXCLUDED(mutex_);
  // How fast bytes go over it; 0: at once. What follows at once is under way without a gap.
  void set_speed(double bytes_per_second) ABSL_LOCKS_EXCLUDED(mutex_);
  // How long each launch takes at least.
  void set_launch_time(std::chrono::nanoseconds time) ABSL_LOCKS_EXCLUDED(mutex_);

  // Launches from now on wait within the device until they are released.
  void hold_launches() ABSL_LOCKS_EXCLUDED(mutex_);
  void release_launches() ABSL_LOCKS_EXCLUDED(mutex_);
  // The next launch fails, once it is not held.
  void fail_next_launch() ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns once a launch is held.
  void wait_for_held_launch() ABSL_LOCKS_EXCLUDED(mutex_);

  // What the device calls. The transfers share the link: one waits until those before have gone
  // over it.
  void send(uint64_t bytes) ABSL_LOCKS_EXCLUDED(mutex_);
  void receive(uint64_t bytes) ABSL_LOCKS_EXCLUDED(mutex_);
  void count_copy() ABSL_LOCKS_EXCLUDED(mutex_);
  void count_kernel() ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status begin_launch(uint64_t plan) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  using Clock = std::chrono::steady_clock;

  void transfer(uint64_t bytes) ABSL_LOCKS_EXCLUDED(mutex_);

  mutable lightmetal::Mutex mutex_;
  lightmetal::Condition changed_;
  LinkCounts counts_ ABSL_GUARDED_BY(mutex_);
  std::set<uint64_t> plans_ ABSL_GUARDED_BY(mutex_);
  double bytes_per_second_ ABSL_GUARDED_BY(mutex_) = 0;
  std::chrono::nanoseconds launch_time_ ABSL_GUARDED_BY(mutex_) = {};
  Clock::time_point free_at_ ABSL_GUARDED_BY(mutex_) = {};
  Clock::time_point last_use_ ABSL_GUARDED_BY(mutex_) = {};
  bool fails_ ABSL_GUARDED_BY(mutex_) = false;
  bool holds_ ABSL_GUARDED_BY(mutex_) = false;
  int held_ ABSL_GUARDED_BY(mutex_) = 0;
};

// Makes `backend` the CPU device behind the link, which outlives its devices. Without `can_copy` it
// copies nothing within the device.
void register_linked_device(const std::string& backend, Link& link, bool can_copy = true);

}  // namespace lightmetal::testing
