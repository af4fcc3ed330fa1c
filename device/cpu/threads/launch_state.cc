#include "device/cpu/threads/launch_state.h"

#include <algorithm>
#include <ctime>
#include <utility>

#include "absl/time/clock.h"
#include "base/spin.h"

namespace lightmetal::device::cpu {
namespace {

constexpr char kPolls[] =
    "the launch does not end, its kernels wait, poll memory or loop for ever and nothing changes";

Watchdog::Moment now() {
  timespec used = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return {absl::Now(), absl::DurationFromTimespec(used)};
}

}  // namespace

void LaunchState::open(const Launch& launch, absl::Span<WorkerSignals* const> workers,
                       absl::Span<LinkEnd* const> links) {
  MutexLock lock(&mutex_);
  links_ = links;
  launch_ = &launch;
  cores_ = static_cast<uint32_t>(launch.plan->cores.size());
  share_ =
      (cores_ + static_cast<uint32_t>(workers.size()) - 1) / static_cast<uint32_t>(workers.size());
  next_core_ = 0;
  unfinished_ = cores_;
  cores_not_under_way_ = cores_;
  start_awaited_ = false;
  hopeless_ = false;
  status_ = absl::OkStatus();
  watchdog_.restart(now());
  over_ = cores_ == 0;
  opened_.fetch_add(1);
  invited_.assign(workers.begin(), workers.end());
  for (WorkerSignals* worker : invited_) {
    worker->invited = true;
    worker->bell.notify_one();
  }
}

// An invitation is withdrawn first: a worker that has not joined by now stays away, and only those
// that are present are waited for.
absl::Status LaunchState::close() {
  MutexLock lock(&mutex_);
  for (WorkerSignals* worker : invited_) worker->invited = false;
  while (present_ != 0) everyone_left_.wait(&mutex_);
  joined_.clear();
  links_ = {};
  if (!hopeless_) return std::move(status_);
  return {status_.code(),
          deadlock_report(std::string(status_.message()), std::exchange(blocked_, {}))};
}

void LaunchState::look_for_launch(uint64_t last_seen) const {
  constexpr int kLooksPerClock = 64;
  while (Clock::now().time_since_epoch().count() < awake_until_.load()) {
    if (becomes_true_soon([&] { return opened_.load() != last_seen; }, kLooksPerClock)) return;
  }
}

bool LaunchState::await_and_join(WorkerSignals& worker) {
  look_for_launch(worker.last_launch);
  MutexLock lock(&mutex_);
  while (!worker.invited && !shut_down_) worker.bell.wait(&mutex_);
  if (shut_down_) return false;
  worker.last_launch = opened_.load();
  add(worker);
  return true;
}

void LaunchState::join(WorkerSignals& worker) {
  MutexLock lock(&mutex_);
  add(worker);
}

void LaunchState::add(WorkerSignals& worker) {
  worker.invited = false;
  joined_.push_back(&worker);
  ++present_;
  awake_.fetch_add(1);
}

// Kernels that were woken too late belong to a launch that is over, so the worker forgets them
// before it is invited again.
void LaunchState::leave(WorkerSignals& worker, std::vector<BlockedKernel> blocked) {
  worker.woken.store(nullptr);
  MutexLock lock(&mutex_);
  blocked_.insert(blocked_.end(), std::make_move_iterator(blocked.begin()),
                  std::make_move_iterator(blocked.end()));
  awake_.fetch_sub(1);
  if (--present_ == 0) everyone_left_.notify_one();
}

void LaunchState::shut_down(absl::Span<WorkerSignals* const> workers) {
  MutexLock lock(&mutex_);
  shut_down_ = true;
  for (WorkerSignals* worker : workers) worker->bell.notify_one();
}

// Asks before it counts, so that workers without a core do not drive the counter on and on.
std::optional<uint32_t> LaunchState::claim_core() {
  if (all_cores_claimed()) return std::nullopt;
  const uint32_t core = next_core_.fetch_add(1);
  return core < cores_ ? std::optional(core) : std::nullopt;
}

void LaunchState::core_ended() {
  if (unfinished_.fetch_sub(1) != 1) return;
  MutexLock lock(&mutex_);
  stop(absl::OkStatus());
}

// This function counts and then looks whether a kernel waits; await_start() notes that a kernel
// waits and then looks at the count. So one of the two sees the other.
void LaunchState::core_is_under_way() {
  if (cores_not_under_way_.fetch_sub(1) != 1 || !start_awaited_.load()) return;
  MutexLock lock(&mutex_);
  for (WorkerSignals* worker : joined_) worker->bell.notify_one();
}

bool LaunchState::await_start() {
  start_awaited_.store(true);
  return all_under_way();
}

void LaunchState::fail(absl::Status status) {
  MutexLock lock(&mutex_);
  stop(std::move(status));
}

void LaunchState::stop(absl::Status status) {
  if (over_) return;
  status_ = std::move(status);
  over_ = true;
  for (WorkerSignals* worker : joined_) worker->bell.notify_one();
}

void LaunchState::give_up(const char* heading, absl::StatusCode code) {
  hopeless_ = true;
  stop({code, heading});
}

bool LaunchState::nothing_can_run() const {
  if (over_ || asleep_ < joined_.size() || !all_cores_claimed()) return false;
  return std::none_of(joined_.begin(), joined_.end(),
                      [this](const WorkerSignals* worker) { return may_go_on(*worker); });
}

bool LaunchState::may_go_on(const WorkerSignals& worker) const {
  return worker.woken.load() != nullptr || (worker.awaits_start.load() && all_under_way());
}

void LaunchState::sleep(WorkerSignals& worker) {
  MutexLock lock(&mutex_);
  // `asleep` is set before the list of woken kernels is read, and KernelHost::wake() adds to the
  // list before it reads `asleep`, so one of the two sees the other.
  worker.asleep.store(true);
  ++asleep_;
  awake_.fetch_sub(1);
  while (!may_go_on(worker) && !over_) wait_asleep(worker);
  awake_.fetch_add(1);
  --asleep_;
  worker.asleep.store(false);
}

void LaunchState::wait_asleep(WorkerSignals& worker) {
  if (!nothing_can_run()) return worker.bell.wait(&mutex_);
  if (!a_link_may_wake() && !on_a_lane()) {
    return give_up("the launch cannot end, every kernel waits for what no other will do",
                   absl::StatusCode::kFailedPrecondition);
  }
  if (!watchdog_expired()) {
    return worker.bell.wait_for(&mutex_, absl::ToChronoNanoseconds(watchdog_.patience() / 4));
  }
  give_up(on_a_lane() ? "the launch does not end, its kernels wait and no other launch goes on"
                      : "the launch does not end, its kernels wait and nothing comes from other "
                        "chips",
          absl::StatusCode::kDeadlineExceeded);
}

bool LaunchState::other_lanes_work() const { return awake_.load() > joined_.size() - asleep_; }

bool LaunchState::a_link_may_wake() const {
  return std::any_of(links_.begin(), links_.end(), [](const LinkEnd* link) {
    return link->in_use() && link->other().attached();
  });
}

void LaunchState::link_was_cut() {
  MutexLock lock(&mutex_);
  for (WorkerSignals* worker : joined_) worker->bell.notify_one();
}

void LaunchState::ring(WorkerSignals& worker) {
  MutexLock lock(&mutex_);
  worker.bell.notify_one();
}

bool LaunchState::watchdog_expired() {
  uint64_t deliveries = 0;
  for (const LinkEnd* link : links_) deliveries += link->deliveries();
  if (on_a_lane() && other_lanes_work()) ++busy_looks_;
  deliveries += busy_looks_;
  return watchdog_.expired(now(), joined_, deliveries);
}

void LaunchState::check_watchdog() {
  MutexLock lock(&mutex_);
  if (over_ || !all_cores_claimed()) return;
  if (watchdog_expired()) give_up(kPolls, absl::StatusCode::kDeadlineExceeded);
}

void LaunchState::give_up_polling() {
  MutexLock lock(&mutex_);
  give_up(kPolls, absl::StatusCode::kDeadlineExceeded);
}

bool LaunchState::may_be_woken_from_outside() {
  MutexLock lock(&mutex_);
  return on_a_lane() || a_link_may_wake();
}

}  // namespace lightmetal::device::cpu
