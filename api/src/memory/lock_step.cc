#include "api/src/memory/lock_step.h"

#include <tt-metalium/allocator.hpp>
#include <tt-metalium/assert.hpp>

#include "base/per_process.h"
#include "capture/capture.h"

namespace tt::tt_metal {
namespace {

struct LockStep {
  lightmetal::Mutex mutex;
};

const Allocator* allocator_of(const IDevice& device, std::optional<SubDeviceId> sub_device) {
  const auto& allocator = sub_device ? device.allocator(*sub_device) : device.allocator();
  TT_FATAL(allocator != nullptr, "Memory of device {} was asked for, which has been closed",
           device.id());
  return allocator.get();
}

// One device chooses the address itself.
std::shared_ptr<Buffer> create_alone(const replay_hooks::RecordedBuffer& like) {
  if (like.address) return replay_hooks::create_buffer(like);
  return Buffer::create(like.device, like.size, like.page_size, like.buffer_type, like.sharding,
                        like.bottom_up, like.sub_device);
}

}  // namespace

lightmetal::Mutex& lock_step_mutex() { return lightmetal::PerProcess<LockStep>::get().mutex; }

DeviceAddr free_address_on_all(tt::stl::Span<IDevice* const> devices, BufferType buffer_type,
                               std::optional<SubDeviceId> sub_device, DeviceAddr size_per_bank,
                               bool bottom_up, const char* call) {
  // The calls that take the address come later, each with a scope of its own.
  LIGHT_METAL_TRACE_FUNCTION_ENTRY(call);
  std::vector<const Allocator*> allocators;
  for (const IDevice* device : devices) allocators.push_back(allocator_of(*device, sub_device));
  const auto address = Allocator::free_on_all(allocators, buffer_type, size_per_bank, bottom_up);
  TT_FATAL(address.has_value(),
           "Out of Memory: Not enough space to allocate {} B in each bank of {} at one address of "
           "{} devices",
           size_per_bank, buffer_type, devices.size());
  return *address;
}

std::vector<std::shared_ptr<Buffer>> create_in_lock_step(tt::stl::Span<IDevice* const> devices,
                                                         replay_hooks::RecordedBuffer like) {
  like.device = devices.front();
  if (devices.size() == 1) return {create_alone(like)};
  lightmetal::MutexLock lock(&lock_step_mutex());
  const DeviceAddr size_per_bank = replay_hooks::size_per_bank_of(like);
  like.allocated_address = 0;  // of a buffer that takes no memory
  if (!like.address && size_per_bank != 0) {
    const bool is_dram =
        like.buffer_type == BufferType::DRAM || like.buffer_type == BufferType::TRACE;
    like.allocated_address =
        free_address_on_all(devices, like.buffer_type, like.sub_device, size_per_bank,
                            like.bottom_up.value_or(is_dram), "Buffer::create");
  }
  std::vector<std::shared_ptr<Buffer>> buffers;
  for (IDevice* device : devices) {
    like.device = device;
    buffers.push_back(replay_hooks::create_buffer(like));
  }
  return buffers;
}

}  // namespace tt::tt_metal
