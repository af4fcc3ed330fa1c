// Device traces. The API makes their content and hands it to the device as it is, so a hostile file
// could name anything in it: every index and address is checked here against what is there.
#include <algorithm>
#include <bitset>
#include <cstdint>

#include "base/data_format.h"
#include "base/status.h"
#include "host/trace.h"
#include "schema/semantics/checker.h"

namespace lightmetal::schema::semantics {
namespace {

template <class Vector>
uint64_t size_of(const Vector* values) {
  return values == nullptr ? 0 : values->size();
}

template <class Vector, class Function>
absl::Status each(const Vector* values, Function check) {
  if (values == nullptr) return absl::OkStatus();
  for (const auto* value : *values) LM_RETURN_IF_ERROR(check(*value));
  return absl::OkStatus();
}

// One launch of a trace on a device.
class LaunchCheck {
 public:
  LaunchCheck(const Object& trace, const TraceLaunch& launch, const DeviceState& device)
      : trace_(trace),
        launch_(launch),
        device_(device),
        target_(target_of(device)),
        profile_(device.profile) {}

  absl::Status run() {
    LM_RETURN_IF_ERROR(about(trace_, host::check_lane(launch_.lane(), target_)));
    LM_RETURN_IF_ERROR(
        each(launch_.kernels(), [&](const TraceKernel& kernel) { return check_kernel(kernel); }));
    return each(launch_.cores(), [&](const TraceCore& core) { return check_core(core); });
  }

 private:
  // The API makes the content of a trace itself, so only a file can be wrong about it.
  template <class... Text>
  absl::Status refuse(const Text&... text) const {
    return of_files_alone(
        absl::InvalidArgumentError(absl::StrCat(trace_.text(), ": the trace ", text...)));
  }
  // Refuses a number that is not below `end`.
  absl::Status names(absl::string_view what, uint64_t value, uint64_t end) const {
    if (value < end) return absl::OkStatus();
    return refuse("names ", what, " ", value, ", expected less than ", end);
  }
  // Refuses an end beyond `end`. Callers add in 64 bits, where the file's 32-bit numbers cannot
  // overflow.
  absl::Status reaches(absl::string_view what, uint64_t value, uint64_t end) const {
    if (value <= end) return absl::OkStatus();
    return refuse("names ", what, " up to ", value, ", expected at most ", end);
  }
  template <class... Text>
  absl::Status has(const Text&... text) const {
    return refuse("has ", text...);
  }

  absl::Status check_kernel(const TraceKernel& kernel) const {
    if (kernel.object()->size() == 0 || size_of(kernel.target()) == 0) {
      return has("a kernel without an object or its target");
    }
    return names("network", kernel.noc(), 2);
  }

  absl::Status check_core(const TraceCore& core) {
    const Core place{core.core()->x(), core.core()->y()};
    const Core grid = core.ethernet() ? device_.ethernet_grid() : profile_.grid;
    if (place.x >= grid.x || place.y >= grid.y) {
      return has(core.ethernet() ? "Ethernet core " : "core ", text_of(place),
                 ", which is not in the grid of ", text_of(grid));
    }
    CoreSet& taken = core.ethernet() ? ethernet_cores_ : cores_;
    if (taken.contains(place)) return has("core ", text_of(place), " twice in one launch");
    taken.add(CoreSet::of(place));
    LM_RETURN_IF_ERROR(about(trace_, host::check_core_of_lane(place, launch_.lane(), target_)));
    LM_RETURN_IF_ERROR(check_kernels(core));
    LM_RETURN_IF_ERROR(check_circular_buffers(core));
    return check_semaphores(core);
  }

  absl::Status check_kernels(const TraceCore& core) const {
    std::bitset<4> taken;  // by processor
    return each(core.kernels(), [&](const TraceKernelOnCore& kernel) {
      LM_RETURN_IF_ERROR(check_kernel_on_core(kernel));
      const Processor processor = launch_.kernels()->Get(kernel.kernel())->processor();
      if (core.ethernet() != (processor == Processor::Ethernet)) {
        return has("a kernel for processor ", EnumNameProcessor(processor),
                   core.ethernet() ? " on an Ethernet core" : " on a worker core");
      }
      const auto bit = static_cast<size_t>(processor);
      if (taken[bit]) return has("two kernels for one processor");
      taken[bit] = true;
      return absl::OkStatus();
    });
  }

  absl::Status check_kernel_on_core(const TraceKernelOnCore& kernel) const {
    LM_RETURN_IF_ERROR(names("kernel", kernel.kernel(), size_of(launch_.kernels())));
    const uint64_t args = size_of(launch_.args());
    LM_RETURN_IF_ERROR(
        reaches("arguments", uint64_t{kernel.args_begin()} + kernel.args_count(), args));
    LM_RETURN_IF_ERROR(
        reaches("arguments", uint64_t{kernel.common_begin()} + kernel.common_count(), args));
    return reaches("arguments of a kernel", uint64_t{kernel.args_count()} + kernel.common_count(),
                   profile_.max_runtime_args);
  }

  absl::Status check_circular_buffers(const TraceCore& core) const {
    std::bitset<256> taken;  // by index
    const auto check_index = [&](uint8_t index) {
      LM_RETURN_IF_ERROR(names("circular buffer", index, profile_.num_circular_buffers));
      if (taken[index]) return has("circular buffer ", static_cast<int>(index), " twice on a core");
      taken[index] = true;
      return absl::OkStatus();
    };
    LM_RETURN_IF_ERROR(each(core.circular_buffers(), [&](const TraceCircularBuffer& buffer) {
      LM_RETURN_IF_ERROR(check_index(buffer.index()));
      return check_circular_buffer(buffer);
    }));
    LM_RETURN_IF_ERROR(check_globally_allocated(core, taken));
    return each(core.remote_circular_buffers(), [&](const TraceRemoteCircularBuffer& buffer) {
      LM_RETURN_IF_ERROR(check_index(buffer.index()));
      if (buffer.page_size() == 0) return has("a remote circular buffer with pages of 0 bytes");
      return names("L1 at", buffer.config_address(), profile_.l1_size);
    });
  }

  absl::Status check_globally_allocated(const TraceCore& core,
                                        const std::bitset<256>& circular_buffers) const {
    const size_t count = size_of(core.globally_allocated());
    if (count > circular_buffers.count()) {
      return has(count, " circular buffers that lie in buffers, of ", circular_buffers.count());
    }
    for (size_t i = 0; i < count; ++i) {
      const uint8_t index = core.globally_allocated()->Get(static_cast<uint32_t>(i));
      if (circular_buffers[index]) continue;
      return has("a circular buffer ", static_cast<int>(index),
                 " in a buffer, which is none of its core's");
    }
    return absl::OkStatus();
  }

  absl::Status check_circular_buffer(const TraceCircularBuffer& buffer) const {
    LM_RETURN_IF_ERROR(reaches("L1", uint64_t{buffer.address()} + buffer.size(), profile_.l1_size));
    if (buffer.page_size() == 0 || buffer.size() % buffer.page_size() != 0) {
      return has("a circular buffer of ", buffer.size(), " bytes in pages of ", buffer.page_size());
    }
    const auto format = static_cast<DataFormat>(buffer.format());
    if (format == DataFormat::Invalid || tile_bytes(format) != 0) return absl::OkStatus();
    return has("a circular buffer of data format ", static_cast<int>(buffer.format()),
               ", which is unknown");
  }

  absl::Status check_semaphores(const TraceCore& core) const {
    return each(core.semaphores(), [&](const TraceSemaphore& semaphore) {
      return names("semaphore", semaphore.id(), profile_.num_semaphores);
    });
  }

  const Object trace_;
  const TraceLaunch& launch_;
  const DeviceState& device_;
  const host::Target target_;
  const ::lightmetal::DeviceProfile& profile_;
  CoreSet cores_;
  CoreSet ethernet_cores_;
};

// Where the circular buffers of the launch end that lie in no buffer: circular buffers have the L1
// below all buffers. 0 when there is none. REQUIRES: LaunchCheck is OK.
uint64_t end_of_circular_buffers(const TraceLaunch& launch, uint64_t lowest_buffer) {
  uint64_t end = 0;
  if (launch.cores() == nullptr) return end;
  for (const TraceCore* core : *launch.cores()) {
    if (core->circular_buffers() == nullptr) continue;
    for (const TraceCircularBuffer* buffer : *core->circular_buffers()) {
      if (buffer->address() >= lowest_buffer) continue;
      end = std::max(end, uint64_t{buffer->address()} + buffer->size());
    }
  }
  return end;
}

}  // namespace

absl::Status Checker::check(const LoadTrace& call) {
  LM_ASSIGN_OR_RETURN(on, queue(call.device(), call.cq()));
  const Object object{"trace", call.id()};
  LM_RETURN_IF_ERROR(each(call.content()->launches(), [&](const TraceLaunch& launch) {
    LM_RETURN_IF_ERROR(LaunchCheck(object, launch, *on.device).run());
    const uint64_t lowest = on.device->memory->l1.lowest_allocated().value_or(UINT64_MAX);
    note_memory(*on.device, end_of_circular_buffers(launch, lowest));
    return absl::OkStatus();
  }));
  auto trace = std::make_shared<TraceState>();
  trace->id = call.id();
  trace->device = on.device;
  trace->manager = on.device->loaded_id();
  LM_RETURN_IF_ERROR(each(call.content()->launches(), [&](const TraceLaunch& launch) {
    return each(launch.kernels(), [&](const TraceKernel& kernel) {
      return keep_kernel_object(*kernel.target(), *kernel.object());
    });
  }));
  on.device->traces.insert(call.id());
  return add(traces_, std::move(trace));
}

absl::Status Checker::replay_trace(const Queue& queue, uint64_t id, bool blocking) {
  LM_ASSIGN_OR_RETURN(trace, traces_.find(id));
  const Object object{"trace", id};
  LM_RETURN_IF_ERROR(about(
      object, host::check_on_device(id, trace->device == queue.device, target_of(*queue.device))));
  LM_RETURN_IF_ERROR(
      about(object, host::check_manager(id, trace->manager, queue.device->loaded_id())));
  return block_if(blocking, queue);
}

absl::Status Checker::check(const ReplayTrace& call) {
  LM_ASSIGN_OR_RETURN(on, queue(call.device(), call.cq()));
  return replay_trace(on, call.trace(), call.blocking());
}

absl::Status Checker::check(const EnqueueTrace& call) {
  LM_ASSIGN_OR_RETURN(on, queue(call.device(), call.cq()));
  return replay_trace(on, call.trace(), call.blocking());
}

absl::Status Checker::check(const ReleaseTrace& call) {
  LM_ASSIGN_OR_RETURN(device, open_device(call.device()));
  LM_ASSIGN_OR_RETURN(trace, traces_.find(call.trace()));
  const bool is_there = trace->device == device;
  LM_RETURN_IF_ERROR(about({"trace", call.trace()},
                           host::check_on_device(call.trace(), is_there, target_of(*device))));
  device->traces.erase(call.trace());
  traces_.remove(call.trace());
  return absl::OkStatus();
}

}  // namespace lightmetal::schema::semantics
