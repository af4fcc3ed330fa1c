#include "tests/support/linked_device.h"

#include <memory>
#include <thread>
#include <utility>

#include "base/status.h"
#include "device/device.h"
#include "device/registry/registry.h"

namespace lightmetal::testing {
namespace {

using device::Device;
using device::DeviceOptions;
using device::KernelObject;
using device::KernelSource;
using device::Launch;
using device::LoadedKernel;
using device::MemoryAddress;

class LinkedDevice final : public Device {
 public:
  LinkedDevice(std::unique_ptr<Device> device, Link& link, bool can_copy)
      : device_(std::move(device)), link_(link), can_copy_(can_copy) {}

  const DeviceProfile& profile() const override { return device_->profile(); }

  absl::Status write_dram(uint32_t bank, uint64_t address, Bytes data) override {
    link_.send(data.size());
    return device_->write_dram(bank, address, data);
  }
  absl::Status read_dram(uint32_t bank, uint64_t address, absl::Span<std::byte> data) override {
    link_.receive(data.size());
    return device_->read_dram(bank, address, data);
  }
  absl::Status write_l1(Core core, uint64_t address, Bytes data) override {
    link_.send(data.size());
    return device_->write_l1(core, address, data);
  }
  absl::Status read_l1(Core core, uint64_t address, absl::Span<std::byte> data) override {
    link_.receive(data.size());
    return device_->read_l1(core, address, data);
  }

  absl::StatusOr<KernelObject> compile(const KernelSource& source) override {
    return device_->compile(source);
  }
  absl::StatusOr<std::shared_ptr<LoadedKernel>> load(const KernelObject& object,
                                                     const std::string& name) override {
    link_.count_kernel();
    return device_->load(object, name);
  }
  // A trace is launched one by one.
  absl::Status launch(const Launch& launch) override {
    LM_RETURN_IF_ERROR(link_.begin_launch(launch.plan->id));
    return device_->launch(launch);
  }
  absl::Status copy(const MemoryAddress& from, const MemoryAddress& to, uint64_t size) override {
    if (!can_copy_) return absl::UnimplementedError("this device copies nothing by itself");
    link_.count_copy();
    return device_->copy(from, to, size);
  }

 private:
  const std::unique_ptr<Device> device_;
  Link& link_;
  const bool can_copy_;
};

}  // namespace

LinkCounts Link::counts() const {
  lightmetal::MutexLock lock(&mutex_);
  return counts_;
}

void Link::set_speed(double bytes_per_second) {
  lightmetal::MutexLock lock(&mutex_);
  bytes_per_second_ = bytes_per_second;
}

void Link::set_launch_time(std::chrono::nanoseconds time) {
  lightmetal::MutexLock lock(&mutex_);
  launch_time_ = time;
}

void Link::hold_launches() {
  lightmetal::MutexLock lock(&mutex_);
  holds_ = true;
}

void Link::release_launches() {
  {
    lightmetal::MutexLock lock(&mutex_);
    holds_ = false;
  }
  changed_.notify_all();
}

void Link::fail_next_launch() {
  lightmetal::MutexLock lock(&mutex_);
  fails_ = true;
}

void Link::wait_for_held_launch() {
  lightmetal::MutexLock lock(&mutex_);
  while (held_ == 0) changed_.wait(&mutex_);
}

void Link::send(uint64_t bytes) {
  {
    lightmetal::MutexLock lock(&mutex_);
    counts_.bytes_to_device += bytes;
  }
  transfer(bytes);
}

void Link::receive(uint64_t bytes) {
  {
    lightmetal::MutexLock lock(&mutex_);
    counts_.bytes_to_host += bytes;
  }
  transfer(bytes);
}

// A thread that sleeps wakes late; the link has worked on meanwhile. So what follows at once
// begins where the last transfer ended, and short ones are slept for together.
void Link::transfer(uint64_t bytes) {
  constexpr auto kShort = std::chrono::milliseconds(1);
  Clock::time_point arrival;
  {
    lightmetal::MutexLock lock(&mutex_);
    if (bytes_per_second_ == 0) return;
    const Clock::time_point now = Clock::now();
    if (now > last_use_ + kShort) free_at_ = now;
    const std::chrono::duration<double> time(static_cast<double>(bytes) / bytes_per_second_);
    free_at_ += std::chrono::duration_cast<Clock::duration>(time);
    last_use_ = now;
    if (free_at_ < now + kShort) return;
    arrival = free_at_;
  }
  std::this_thread::sleep_until(arrival);
  lightmetal::MutexLock lock(&mutex_);
  last_use_ = Clock::now();
}

void Link::count_copy() {
  lightmetal::MutexLock lock(&mutex_);
  ++counts_.copies;
}

void Link::count_kernel() {
  lightmetal::MutexLock lock(&mutex_);
  ++counts_.kernels;
}

absl::Status Link::begin_launch(uint64_t plan) {
  std::chrono::nanoseconds time;
  bool fails = false;
  {
    lightmetal::MutexLock lock(&mutex_);
    ++counts_.launches;
    plans_.insert(plan);
    counts_.plans = plans_.size();
    if (holds_) {
      ++held_;
      changed_.notify_all();
      while (holds_) changed_.wait(&mutex_);
      --held_;
    }
    time = launch_time_;
    fails = std::exchange(fails_, false);
  }
  std::this_thread::sleep_for(time);
  return fails ? absl::InternalError("the link is broken") : absl::OkStatus();
}

void register_linked_device(const std::string& backend, Link& link, bool can_copy) {
  device::register_device(
      backend,
      [&link, can_copy](const DeviceOptions& options) -> absl::StatusOr<std::unique_ptr<Device>> {
        auto device = device::open_device("cpu", options);
        if (!device.ok()) return device.status();
        return std::make_unique<LinkedDevice>(*std::move(device), link, can_copy);
      });
}

}  // namespace lightmetal::testing
