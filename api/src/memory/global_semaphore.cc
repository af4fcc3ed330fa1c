#include <cstring>
#include <string>
#include <tt-metalium/allocator.hpp>
#include <tt-metalium/global_semaphore.hpp>
#include <tt-metalium/host_api.hpp>
#include <utility>
#include <vector>

#include "api/src/devices/device_impl.h"
#include "api/src/memory/live_handles.h"
#include "api/src/memory/lock_step.h"
#include "api/src/memory/stall_group.h"
#include "api/src/objects/host_objects.h"
#include "api/src/replay_hooks.h"
#include "api/src/support/errors.h"
#include "api/src/support/live_objects.h"
#include "api/src/support/next_id.h"
#include "api/src/work/queue_record.h"
#include "capture/capture.h"
#include "host/global_memory.h"

namespace tt::tt_metal {

namespace host = lightmetal::host;

// What the handles of one global semaphore share: one word of L1 in each bank, freed with the last
// handle.
struct GlobalSemaphore::State {
  // Allocates the word, at `given_address` when there is one.
  State(IDevice* device, CoreRangeSet cores, BufferType buffer_type,
        std::optional<DeviceAddr> given_address);
  ~State();

  const uint64_t unique_id;
  DeviceImpl& device;
  const std::shared_ptr<const CoreRangeSet> cores;  // shared with writes that wait in the queue
  const BufferType buffer_type;
  const std::weak_ptr<Allocator> allocator;  // the semaphore may outlive the device
  uint64_t generation = 0;                   // the allocator's, when the word was allocated
  const DeviceAddr address;
  // Of a semaphore on a mesh, of whose first device this one is: those of the others.
  std::vector<GlobalSemaphore> on_other_devices;
};

namespace {

DeviceAddr allocate(DeviceImpl& device, const CoreRangeSet& cores, BufferType buffer_type,
                    std::optional<DeviceAddr> given_address, uint64_t* generation) {
  // The rules come first: nothing is allocated when they throw.
  throw_if_error(host::check_global_semaphore(
      host_type(buffer_type), host_cores(cores, "global semaphore"), target_of(device)));
  const std::shared_ptr<Allocator>& allocator = device.allocator();
  // One word, in the smallest piece that the allocator gives.
  const DeviceAddr size = device.profile().l1_alignment;
  if (!given_address) {
    return allocator->allocate(buffer_type, size, /*bottom_up=*/false, /*requested_size=*/0,
                               generation);
  }
  allocator->allocate_at(buffer_type, *given_address, size, generation);
  return *given_address;
}

// Writes the value to all cores in the order of queue 0, as every write of the program. `Table` and
// `values` are the record of the call.
template <class Table, class... Values>
void write_value(const lightmetal::capture::CallScope& scope,
                 const GlobalSemaphore::State& semaphore, uint32_t value, const Values&... values) {
  CommandQueueImpl& queue = semaphore.device.queue(0);
  queue.check_accepts("Writes");
  QueueCall call(scope, QueueCall::Kind::kEffect, QueueWait::kNone);
  const auto write = [backend = semaphore.device.backend().get(), cores = semaphore.cores,
                      address = semaphore.address, value]() -> absl::Status {
    for (const CoreRange& range : cores->ranges()) {
      for (const CoreCoord& core : range) {
        absl::Status status =
            backend->write_l1({static_cast<uint32_t>(core.x), static_cast<uint32_t>(core.y)},
                              address, lightmetal::bytes_of(&value, sizeof(value)));
        if (!status.ok()) return status;
      }
    }
    return absl::OkStatus();
  };
  run_as<Table>(queue.order(), call, queue.behind_launches(write), values...);
}

GlobalSemaphore create(IDevice* device, const CoreRangeSet& cores, uint32_t initial_value,
                       BufferType buffer_type, std::optional<DeviceAddr> given_address) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY("CreateGlobalSemaphore");
  auto state = std::make_shared<GlobalSemaphore::State>(device, cores, buffer_type, given_address);
  GlobalSemaphore semaphore(state);
  write_value<schema::GlobalSemaphoreCreate>(light_metal_call_scope, *state, initial_value,
                                             semaphore, *device, cores, initial_value, buffer_type,
                                             semaphore.address());
  return semaphore;
}

// One semaphore on each of the devices, all at one address. The handle is the first one's, and
// keeps the others.
GlobalSemaphore create_on_all(const std::vector<IDevice*>& devices, const CoreRangeSet& cores,
                              uint32_t initial_value, BufferType buffer_type) {
  if (devices.size() == 1) {
    return create(devices.front(), cores, initial_value, buffer_type, std::nullopt);
  }
  lightmetal::MutexLock lock(&lock_step_mutex());
  const DeviceAddr size = impl_of(devices.front()).profile().l1_alignment;
  const DeviceAddr address = free_address_on_all(devices, buffer_type, std::nullopt, size,
                                                 /*bottom_up=*/false, "CreateGlobalSemaphore");
  std::vector<GlobalSemaphore> made;
  for (IDevice* device : devices) {
    made.push_back(create(device, cores, initial_value, buffer_type, address));
  }
  GlobalSemaphore first = made.front();
  first.keep({made.begin() + 1, made.end()});
  return first;
}

void reset_value(const GlobalSemaphore& semaphore, const GlobalSemaphore::State& state,
                 uint32_t value) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY("reset_semaphore_value");
  write_value<schema::GlobalSemaphoreResetValue>(light_metal_call_scope, state, value, semaphore,
                                                 value);
}

}  // namespace

GlobalSemaphore::State::State(IDevice* device, CoreRangeSet given_cores, BufferType buffer_type,
                              std::optional<DeviceAddr> given_address)
    : unique_id(next_unique_id<GlobalSemaphore>()),
      device(impl_of(device)),
      cores(std::make_shared<const CoreRangeSet>(std::move(given_cores))),
      buffer_type(buffer_type),
      allocator(this->device.allocator()),
      address(allocate(this->device, *cores, buffer_type, given_address, &generation)) {
  LiveObjects<State>::add(unique_id, this);
}

GlobalSemaphore::State::~State() {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::GlobalSemaphoreDestroy>,
                                  GlobalSemaphoreId{unique_id});
  LiveObjects<State>::remove(unique_id);
  if (const auto memory = allocator.lock()) memory->deallocate(buffer_type, address, generation);
}

GlobalSemaphore::GlobalSemaphore(IDevice* device, const CoreRangeSet& cores, uint32_t initial_value,
                                 BufferType buffer_type)
    : GlobalSemaphore(create_on_all(devices_of(device), cores, initial_value, buffer_type)) {}

DeviceAddr GlobalSemaphore::address() const { return state_->address; }
IDevice* GlobalSemaphore::device() const { return &state_->device; }
const CoreRangeSet& GlobalSemaphore::cores() const { return *state_->cores; }
uint64_t GlobalSemaphore::unique_id() const { return state_->unique_id; }

void GlobalSemaphore::keep(std::vector<GlobalSemaphore> others) {
  state_->on_other_devices = std::move(others);
}

void GlobalSemaphore::reset_semaphore_value(uint32_t value) const {
  reset_value(*this, *state_, value);
  for (const GlobalSemaphore& other : state_->on_other_devices) other.reset_semaphore_value(value);
}

GlobalSemaphore CreateGlobalSemaphore(IDevice* device, const CoreRangeSet& cores,
                                      uint32_t initial_value, BufferType buffer_type,
                                      tt::stl::Span<const SubDeviceId> sub_device_ids) {
  TT_FATAL(device != nullptr, "The device is a null pointer");
  return with_stall_group(*device, sub_device_ids, [&] {
    return GlobalSemaphore(device, cores, initial_value, buffer_type);
  });
}

GlobalSemaphore CreateGlobalSemaphore(IDevice* device, CoreRangeSet&& cores, uint32_t initial_value,
                                      BufferType buffer_type,
                                      tt::stl::Span<const SubDeviceId> sub_device_ids) {
  return CreateGlobalSemaphore(device, cores, initial_value, buffer_type, sub_device_ids);
}

#ifdef LIGHTMETAL_ENABLE_CAPTURE
void for_each_global_semaphore(VisitGlobalSemaphore visit) {
  LiveObjects<GlobalSemaphore::State>::for_each([&](GlobalSemaphore::State& state) {
    const auto memory = state.allocator.lock();
    if (memory == nullptr || memory->generation() != state.generation) return;
    // A handle that owns nothing: see live_handles.h.
    const std::shared_ptr<GlobalSemaphore::State> not_owned(std::shared_ptr<void>(), &state);
    visit(GlobalSemaphore(not_owned), state.buffer_type);
  });
}
#endif

namespace replay_hooks {

GlobalSemaphore create_global_semaphore(IDevice* device, const CoreRangeSet& cores,
                                        uint32_t initial_value, BufferType buffer_type,
                                        DeviceAddr allocated_address) {
  return create(device, cores, initial_value, buffer_type, allocated_address);
}

}  // namespace replay_hooks
}  // namespace tt::tt_metal
