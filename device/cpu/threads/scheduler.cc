#include "device/cpu/threads/scheduler.h"

#include <algorithm>
#include <chrono>
#include <system_error>

#include "device/cpu/ethernet/links.h"
#include "device/cpu/faults/fault_handler.h"
#include "device/cpu/threads/core_setup.h"

namespace lightmetal::device::cpu {
namespace {

bool is_free(const Settings& settings) { return settings.schedule.kind == Schedule::Kind::Free; }

std::unique_ptr<RandomSchedule> schedule_of(const Settings& settings, int chip_id, uint32_t lane) {
  if (settings.schedule.kind != Schedule::Kind::Random) return nullptr;
  // An odd factor, so that seeds and places that are close to each other have states far apart.
  constexpr uint64_t kFactor = 0xd1342543de82ef95;
  const uint64_t place = uint64_t{static_cast<uint32_t>(chip_id)} << 32 | lane;
  return std::make_unique<RandomSchedule>((settings.schedule.seed + place * kFactor) * kFactor);
}

// About as many as kernels poll in the time of patience.
std::optional<uint64_t> most_polls(const Settings& settings) {
  constexpr double kPollsPerSecond = 1e7;
  if (is_free(settings)) return std::nullopt;
  return static_cast<uint64_t>(absl::ToDoubleSeconds(settings.patience) * kPollsPerSecond);
}

}  // namespace

Scheduler::Scheduler(Machine& machine, const Settings& settings, int chip_id, uint32_t lane,
                     std::atomic<uint32_t>& awake)
    : machine_(machine),
      max_workers_(is_free(settings) ? settings.workers : 1),
      schedule_(schedule_of(settings, chip_id, lane)),
      most_polls_(most_polls(settings)),
      splits_(settings.schedule.split),
      launch_(settings.patience, awake) {
  install_fault_handler();
}

Scheduler::~Scheduler() {
  MutexLock lock(&mutex_);
  launch_.shut_down(signals_);
  for (std::thread& thread : threads_) thread.join();
}

absl::Status Scheduler::run(const Launch& launch) {
  MutexLock lock(&mutex_);
  return run_locked(launch);
}

absl::Status Scheduler::run_all(absl::Span<const Launch* const> launches) {
  // Longer than a queue takes until its next operation, and short for the rest of the machine.
  constexpr std::chrono::microseconds kAwakeAfterwards(50);
  MutexLock lock(&mutex_);
  launch_.stay_awake_until(LaunchState::Clock::time_point::max());
  absl::Status status;
  for (size_t i = 0; i < launches.size() && status.ok(); ++i) status = run_locked(*launches[i]);
  launch_.stay_awake_until(LaunchState::Clock::now() + kAwakeAfterwards);
  return status;
}

// Semaphores get their values before the launch is opened, and with it before any kernel runs. The
// wires are taken before, too, so that a chip that closes can tell the launch.
absl::Status Scheduler::run_locked(const Launch& launch) {
  const size_t wanted = std::clamp<size_t>(launch.plan->cores.size(), 1, max_workers_);
  make_workers(wanted);
  set_up_semaphores(machine_, *launch.plan);
  const size_t workers = std::min(wanted, workers_.size());
  LaunchLinks links(machine_, *launch.plan, launch_);
  launch_.open(launch, absl::MakeConstSpan(signals_).first(workers), links.ends());
  launch_.join(*signals_.front());
  prepare_thread_for_faults();
  workers_.front()->work();
  const absl::Status status = launch_.close();
  links.end(/*failed=*/!status.ok());
  return status;
}

void Scheduler::serve(Worker& worker) {
  prepare_thread_for_faults();
  while (launch_.await_and_join(worker.signals())) worker.work();
}

void Scheduler::make_workers(size_t count) {
  while (workers_.size() < count) {
    auto worker =
        std::make_unique<Worker>(machine_, launch_, schedule_.get(), most_polls_, splits_);
    if (!workers_.empty()) {
      try {
        threads_.emplace_back(&Scheduler::serve, this, std::ref(*worker));
      } catch (const std::system_error&) {
        return;  // The system gives no more threads, and fewer do the same work.
      }
    }
    signals_.push_back(&worker->signals());
    workers_.push_back(std::move(worker));
  }
}

}  // namespace lightmetal::device::cpu
