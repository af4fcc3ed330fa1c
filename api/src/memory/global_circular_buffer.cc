#include <string>
#include <tt-metalium/buffer.hpp>
#include <tt-metalium/global_circular_buffer.hpp>
#include <utility>

#include "api/src/devices/device_impl.h"
#include "api/src/memory/live_handles.h"
#include "api/src/memory/stall_group.h"
#include "api/src/objects/host_objects.h"
#include "api/src/replay_hooks.h"
#include "api/src/support/errors.h"
#include "api/src/support/live_objects.h"
#include "api/src/support/next_id.h"
#include "api/src/work/queue_record.h"
#include "capture/capture.h"
#include "device/kernel_abi/lightmetal_kernel_abi.h"
#include "host/global_memory.h"

namespace tt::tt_metal::experimental {

using Mapping = std::vector<std::pair<CoreCoord, CoreRangeSet>>;

struct GlobalCircularBuffer::State {
  ~State();

  uint64_t unique_id = 0;
  DeviceImpl* device = nullptr;
  Mapping mapping;
  CoreRangeSet senders;
  CoreRangeSet receivers;
  CoreRangeSet all;
  uint32_t size = 0;
  std::shared_ptr<Buffer> buffer;
  std::shared_ptr<Buffer> config_buffer;
};

namespace {

namespace abi = lightmetal::kernel_abi;
namespace host = lightmetal::host;

constexpr char kWhat[] = "global circular buffer";

static_assert(abi::kRemoteUnit == host::kRemoteUnit);
static_assert(abi::kRemoteConfigWords == host::kRemoteConfigWords);

host::Senders host_senders(const Mapping& mapping) {
  host::Senders all;
  for (const auto& [sender, receivers] : mapping) {
    const auto core = host_cores(CoreRangeSet(CoreRange(sender)), kWhat);
    throw_if_error(all.add(core, host_cores(receivers, kWhat)));
  }
  return all;
}

host::Senders check(const DeviceImpl& device, const Mapping& mapping, uint32_t size,
                    BufferType buffer_type) {
  host::Senders senders = host_senders(mapping);
  throw_if_error(
      host::check_global_circular_buffer(host_type(buffer_type), senders, size, target_of(device)));
  return senders;
}

// A buffer with one page of `size` bytes on each core.
std::shared_ptr<Buffer> create_on_cores(IDevice* device, const CoreRangeSet& cores, uint32_t size,
                                        BufferType buffer_type) {
  const ShardSpecBuffer shards(cores, {1, 1}, ShardOrientation::ROW_MAJOR, {1, 1},
                               {cores.num_cores(), 1});
  return Buffer::create(device, DeviceAddr{size} * cores.num_cores(), size, buffer_type,
                        TensorMemoryLayout::HEIGHT_SHARDED, shards);
}

// The configuration of every core, as words for its L1.
class Configurations {
 public:
  Configurations(const GlobalCircularBuffer::State& state)
      : state_(state), layout_(host_senders(state.mapping).config_layout()) {
    for (const auto& [sender, receivers] : state.mapping) add(sender, receivers);
  }

  std::vector<std::pair<lightmetal::Core, std::vector<uint32_t>>> take() {
    return std::move(configurations_);
  }

 private:
  using Words = std::vector<uint32_t>;

  void add(const CoreCoord& sender, const CoreRangeSet& receiver_set) {
    const std::vector<CoreCoord> receivers = corerange_to_cores(receiver_set);
    Words& words = add_core(sender, /*is_sender=*/true, receivers.size(), layout_.counters);
    for (size_t i = 0; i < receivers.size(); ++i) set_coordinates(words, i, receivers[i]);
    // A receiver has its counters at the L1 address at which its sender has those of that receiver.
    for (size_t i = 0; i < receivers.size(); ++i) {
      const auto own = static_cast<uint32_t>(layout_.counters + i * 2 * abi::kRemoteUnit);
      // A receiver knows one core: its sender.
      set_coordinates(add_core(receivers[i], /*is_sender=*/false, receivers.size(), own), 0,
                      sender);
    }
  }

  Words& add_core(const CoreCoord& core, bool is_sender, size_t num_receivers, uint32_t counters) {
    const auto base = static_cast<uint32_t>(state_.config_buffer->address());
    Words words(layout_.size / 4, 0);
    const auto set = [&](abi::RemoteConfig field, uint32_t value) {
      words[static_cast<size_t>(field)] = value;
    };
    set(abi::RemoteConfig::kIsSender, is_sender ? 1 : 0);
    set(abi::RemoteConfig::kNumReceivers, static_cast<uint32_t>(num_receivers));
    set(abi::RemoteConfig::kFifoStart, state_.buffer->address());
    set(abi::RemoteConfig::kFifoSize, state_.size);
    set(abi::RemoteConfig::kFifoPointer, state_.buffer->address());
    set(abi::RemoteConfig::kRemoteNocXy, base + layout_.coordinates);
    set(abi::RemoteConfig::kCounters, base + counters);
    const lightmetal::Core place{static_cast<uint32_t>(core.x), static_cast<uint32_t>(core.y)};
    return configurations_.emplace_back(place, std::move(words)).second;
  }

  void set_coordinates(Words& words, size_t index, const CoreCoord& core) {
    const CoreCoord noc = state_.device->worker_core_from_logical_core(core);
    words[layout_.coordinates / 4 + index * 2] = static_cast<uint32_t>(noc.x);
    words[layout_.coordinates / 4 + index * 2 + 1] = static_cast<uint32_t>(noc.y);
  }

  const GlobalCircularBuffer::State& state_;
  const host::RemoteConfigLayout layout_;
  std::vector<std::pair<lightmetal::Core, Words>> configurations_;
};

// Writes the configurations in the order of queue 0, as every write of the program, together with
// the record of the call.
void write_configurations(const lightmetal::capture::CallScope& scope,
                          const GlobalCircularBuffer& buffer,
                          const GlobalCircularBuffer::State& state, BufferType buffer_type) {
  CommandQueueImpl& queue = state.device->queue(0);
  queue.check_accepts("Writes");
  QueueCall call(scope, QueueCall::Kind::kEffect, QueueWait::kNone);
  // The words are copied into the operation, which may run after the handle has gone.
  const auto write = [backend = state.device->backend().get(),
                      address = state.config_buffer->address(),
                      configurations = Configurations(state).take()]() -> absl::Status {
    for (const auto& [core, words] : configurations) {
      absl::Status status = backend->write_l1(
          core, address, lightmetal::bytes_of(words.data(), words.size() * sizeof(uint32_t)));
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  };
  run_as<schema::GlobalCircularBufferCreate>(
      queue.order(), call, queue.behind_launches(write), buffer, *buffer.get_device(),
      buffer.cb_buffer(), *state.config_buffer, state.mapping, state.size, buffer_type);
}

// The state without its memory. REQUIRES: check() has passed.
std::shared_ptr<GlobalCircularBuffer::State> make_state(DeviceImpl& device, const Mapping& mapping,
                                                        uint32_t size) {
  auto state = std::make_shared<GlobalCircularBuffer::State>();
  state->device = &device;
  state->mapping = mapping;
  state->size = size;
  for (const auto& [sender, receivers] : mapping) {
    state->senders = state->senders.merge(CoreRangeSet(CoreRange(sender)));
    state->receivers = state->receivers.merge(receivers);
  }
  state->all = state->senders.merge(state->receivers);
  state->unique_id = next_unique_id<GlobalCircularBuffer>();
  return state;
}

GlobalCircularBuffer finish(std::shared_ptr<GlobalCircularBuffer::State> state,
                            BufferType buffer_type) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY("CreateGlobalCircularBuffer");
  const GlobalCircularBuffer buffer(state);
  write_configurations(light_metal_call_scope, buffer, *state, buffer_type);
  LiveObjects<GlobalCircularBuffer::State>::add(state->unique_id, state.get());
  return buffer;
}

// The two buffers are made by calls of their own, outside the call that is recorded as
// CreateGlobalCircularBuffer: so the file has them as buffers, and what programs do with
// cb_buffer() can be recorded.
GlobalCircularBuffer create(IDevice* device, const Mapping& mapping, uint32_t size,
                            BufferType buffer_type) {
  DeviceImpl& owner = impl_of(device);
  owner.check_open();
  const host::Senders senders = check(owner, mapping, size, buffer_type);
  auto state = make_state(owner, mapping, size);
  state->buffer = create_on_cores(device, state->all, size, buffer_type);
  state->config_buffer =
      create_on_cores(device, state->all, senders.config_layout().size, buffer_type);
  return finish(std::move(state), buffer_type);
}

void check_memory(const Buffer& buffer, const DeviceImpl& device, const host::Senders& senders,
                  uint32_t size) {
  throw_if_error(host::check_memory(rules_of_buffer(buffer), buffer.device() == &device, size,
                                    senders, target_of(device)));
}

}  // namespace

GlobalCircularBuffer::State::~State() {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  // The buffers end behind this, each as a call of its own.
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::GlobalCircularBufferDestroy>,
                                  GlobalCircularBufferId{unique_id});
  LiveObjects<State>::remove(unique_id);
}

GlobalCircularBuffer::GlobalCircularBuffer(IDevice* device, const Mapping& mapping, uint32_t size,
                                           BufferType buffer_type)
    : GlobalCircularBuffer(create(device, mapping, size, buffer_type)) {}

const Buffer& GlobalCircularBuffer::cb_buffer() const { return *state_->buffer; }
const CoreRangeSet& GlobalCircularBuffer::sender_cores() const { return state_->senders; }
const CoreRangeSet& GlobalCircularBuffer::receiver_cores() const { return state_->receivers; }
const CoreRangeSet& GlobalCircularBuffer::all_cores() const { return state_->all; }
DeviceAddr GlobalCircularBuffer::buffer_address() const { return state_->buffer->address(); }
DeviceAddr GlobalCircularBuffer::config_address() const { return state_->config_buffer->address(); }
uint32_t GlobalCircularBuffer::size() const { return state_->size; }
const Mapping& GlobalCircularBuffer::sender_receiver_core_mapping() const {
  return state_->mapping;
}
IDevice* GlobalCircularBuffer::get_device() const { return state_->device; }
uint64_t GlobalCircularBuffer::unique_id() const { return state_->unique_id; }

GlobalCircularBuffer CreateGlobalCircularBuffer(IDevice* device, const Mapping& mapping,
                                                uint32_t size, BufferType buffer_type,
                                                tt::stl::Span<const SubDeviceId> sub_device_ids) {
  return with_stall_group(impl_of(device), sub_device_ids,
                          [&] { return GlobalCircularBuffer(device, mapping, size, buffer_type); });
}

}  // namespace tt::tt_metal::experimental

#ifdef LIGHTMETAL_ENABLE_CAPTURE
namespace tt::tt_metal {

void for_each_global_circular_buffer(VisitGlobalCircularBuffer visit) {
  using experimental::GlobalCircularBuffer;
  LiveObjects<GlobalCircularBuffer::State>::for_each([&](GlobalCircularBuffer::State& state) {
    // A handle that owns nothing: see live_handles.h.
    const std::shared_ptr<GlobalCircularBuffer::State> not_owned(std::shared_ptr<void>(), &state);
    visit(GlobalCircularBuffer(not_owned), *state.config_buffer);
  });
}

}  // namespace tt::tt_metal
#endif

namespace tt::tt_metal::replay_hooks {

experimental::GlobalCircularBuffer create_global_circular_buffer(
    IDevice* device, const std::vector<std::pair<CoreCoord, CoreRangeSet>>& mapping, uint32_t size,
    BufferType buffer_type, std::shared_ptr<Buffer> buffer, std::shared_ptr<Buffer> config_buffer) {
  using namespace experimental;
  DeviceImpl& owner = impl_of(device);
  const host::Senders senders = check(owner, mapping, size, buffer_type);
  auto state = make_state(owner, mapping, size);
  check_memory(*buffer, owner, senders, size);
  check_memory(*config_buffer, owner, senders, senders.config_layout().size);
  state->buffer = std::move(buffer);
  state->config_buffer = std::move(config_buffer);
  return finish(std::move(state), buffer_type);
}

}  // namespace tt::tt_metal::replay_hooks

std::size_t std::hash<tt::tt_metal::experimental::GlobalCircularBuffer>::operator()(
    const tt::tt_metal::experimental::GlobalCircularBuffer& buffer) const noexcept {
  std::size_t hash = buffer.size();
  const auto add = [&](std::size_t value) { hash = hash * 1099511628211u ^ value; };
  for (const auto& [sender, receivers] : buffer.sender_receiver_core_mapping()) {
    add(std::hash<CoreCoord>{}(sender));
    for (const CoreRange& range : receivers.ranges()) {
      add(std::hash<CoreCoord>{}(range.start_coord));
      add(std::hash<CoreCoord>{}(range.end_coord));
    }
  }
  return hash;
}
