#include "api/src/devices/device_state.h"

#include <utility>

#include "api/src/devices/timeline_file.h"
#include "api/src/support/errors.h"
#include "api/src/support/next_id.h"
#include "api/src/support/process_end.h"
#include "device/registry/registry.h"
#include "host/device.h"

namespace tt::tt_metal {
namespace {

std::shared_ptr<lightmetal::device::Device> open_backend(const DeviceParameters& parameters) {
  timeline_file::begin_from_environment();
  return value_or_throw(
      lightmetal::device::open_device(parameters.backend, {.chip_id = parameters.chip_id,
                                                           .profile = parameters.profile,
                                                           .schedule = parameters.schedule}));
}

}  // namespace

DeviceState::DeviceState(DeviceParameters parameters)
    : parameters_(std::move(parameters)),
      unique_id_(next_unique_id<DeviceState>()),
      backend_(open_backend(parameters_)),
      allocator_(std::make_shared<Allocator>(profile(), parameters_.l1_small_size,
                                             parameters_.trace_region_size)),
      sub_devices_(profile(), *allocator_) {}

void DeviceState::check_open() const {
  check_process();
  if (is_open()) return;
  wait_if_process_ends();
  throw_if_error(lightmetal::host::check_open(parameters_.chip_id, /*is_open=*/false));
}

std::shared_ptr<lightmetal::device::Device> DeviceState::share_backend() const {
  check_open();
  std::shared_ptr<lightmetal::device::Device> share;
  {
    lightmetal::MutexLock lock(&mutex_);
    share = backend_;
  }
  if (share == nullptr) check_open();  // it was closed in between
  return share;
}

const std::shared_ptr<Allocator>& DeviceState::allocator() const {
  check_open();
  return allocator_;
}

std::optional<DeviceAddr> DeviceState::lowest_occupied_l1_address(
    tt::stl::Span<const SubDeviceId> sub_devices) const {
  // The memory of sub-devices lies below all other L1 memory.
  const auto local = sub_devices_.loaded()->lowest_occupied(sub_devices);
  return local ? local : allocator()->get_lowest_occupied_l1_address();
}

std::shared_ptr<lightmetal::device::LoadedKernel> DeviceState::load(
    const lightmetal::device::KernelObject& object, const std::string& name) {
  struct Holder {
    // declared first, so that it outlives the kernel
    std::shared_ptr<lightmetal::device::Device> backend;
    std::shared_ptr<lightmetal::device::LoadedKernel> kernel;
  };
  auto holder = std::make_shared<Holder>(Holder{.backend = share_backend(), .kernel = nullptr});
  holder->kernel = value_or_throw(holder->backend->load(object, name));
  return {holder, holder->kernel.get()};
}

std::shared_ptr<LoadedPlan> DeviceState::add_plan(
    std::shared_ptr<const lightmetal::device::LaunchPlan> plan) {
  auto loaded = std::make_shared<LoadedPlan>(std::move(plan));
  lightmetal::MutexLock lock(&mutex_);
  // Dropped plans are cleared away whenever the vector is full, so it holds at most about twice as
  // many as live, and an insertion costs constant time on average.
  if (plans_.size() == plans_.capacity()) {
    std::erase_if(plans_, [](const auto& known) { return known.expired(); });
  }
  plans_.push_back(loaded);
  return loaded;
}

void DeviceState::finish_close() {
  lightmetal::MutexLock lock(&mutex_);
  for (auto& weak : plans_) {
    if (const auto loaded = weak.lock()) loaded->drop();
  }
  // The plans above held kernels, and kernels keep the backend alive: now it can go.
  plans_.clear();
  // Threads that are in calls as the process ends use the allocator by the reference they were
  // given.
  if (!process_ends()) allocator_.reset();
  backend_.reset();
}

lightmetal::host::Target target_of(const DeviceState& device) {
  return {.device_id = static_cast<uint64_t>(device.parameters().chip_id),
          .profile = device.profile(),
          .l1_small_size = device.parameters().l1_small_size};
}

}  // namespace tt::tt_metal
