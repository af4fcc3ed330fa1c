// Device traces: launches that are kept by the device and run as one operation of a queue.
#include <algorithm>
#include <atomic>
#include <map>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/host_api.hpp>
#include <utility>
#include <vector>

#include "api/src/devices/device_impl.h"
#include "api/src/objects/trace_content.h"
#include "api/src/programs/launch_plan.h"
#include "api/src/replay_hooks.h"
#include "api/src/support/errors.h"
#include "api/src/support/next_id.h"
#include "api/src/work/queue_record.h"
#include "capture/capture.h"
#include "host/trace.h"

namespace tt::tt_metal {
namespace {

namespace device = lightmetal::device;
namespace host = lightmetal::host;

// The id after the highest that was ever used. It only grows, so ids that the process chooses clash
// with no id that a program chose for LoadTrace.
std::atomic<uint32_t> next_trace_id = 0;

void take_trace_id(uint32_t trace_id) {
  uint32_t next = next_trace_id.load();
  while (next <= trace_id && !next_trace_id.compare_exchange_weak(next, trace_id + 1)) {
  }
}

// The sub-device that a launch runs on: its only one while the device is not divided.
SubDeviceId sub_device_of(const TracedLaunch& traced) {
  const uint32_t lane = traced.launch.plan->lane;
  return SubDeviceId{static_cast<uint8_t>(lane == 0 ? 0 : lane - 1)};
}

std::shared_ptr<TraceDescriptor> describe(std::shared_ptr<const TraceContent> content,
                                          const DeviceImpl& device) {
  auto descriptor = std::make_shared<TraceDescriptor>();
  // A trace without launches still names the only sub-device.
  if (!device.sub_devices().is_divided()) descriptor->descriptors[SubDeviceId{0}] = {};
  for (const TracedLaunch& traced : content->launches) {
    ++descriptor->descriptors[sub_device_of(traced)]
          .num_traced_programs_needing_go_signal_multicast;
  }
  for (const auto& [id, counts] : descriptor->descriptors) {
    descriptor->sub_device_ids.push_back(id);
  }
  std::ranges::sort(descriptor->sub_device_ids);
  descriptor->content = std::move(content);
  descriptor->sub_device_manager = device.sub_devices().loaded_id();
  return descriptor;
}

using Plan = std::shared_ptr<const device::LaunchPlan>;

// A copy of the plan with its kernels loaded on `device`, under an id of its own.
Plan load_plan(const TracedLaunch& traced, DeviceImpl& device) {
  auto plan = std::make_shared<device::LaunchPlan>(*traced.launch.plan);
  TT_FATAL(traced.objects.size() == plan->kernels.size(),
           "A launch of the trace has {} kernels and {} kernel objects", plan->kernels.size(),
           traced.objects.size());
  plan->id = next_unique_id<device::LaunchPlan>();
  for (size_t i = 0; i < plan->kernels.size(); ++i) {
    plan->kernels[i].kernel = device.load(*traced.objects[i], plan->kernels[i].name);
  }
  return plan;
}

void check_lanes(const TraceContent& content, const DeviceImpl& device) {
  const auto manager = device.sub_devices().loaded();
  host::Target target = target_of(device);
  if (device.sub_devices().is_divided()) target.sub_devices = manager->core_sets;
  for (const TracedLaunch& traced : content.launches) {
    const device::LaunchPlan& plan = *traced.launch.plan;
    throw_if_error(host::check_lane(plan.lane, target));
    for (const device::CorePlan& core : plan.cores) {
      throw_if_error(host::check_core_of_lane(core.core, plan.lane, target));
    }
  }
}

// The content with its kernels loaded on `device`. Launches that shared a plan share it again.
std::shared_ptr<const TraceContent> load_content(const TraceContent& content, DeviceImpl& device) {
  std::map<const device::LaunchPlan*, Plan> plans;
  auto loaded = std::make_shared<TraceContent>(content);
  for (TracedLaunch& traced : loaded->launches) {
    Plan& plan = plans[traced.launch.plan.get()];
    if (plan == nullptr) plan = load_plan(traced, device);
    traced.launch.plan = plan;
  }
  return loaded;
}

std::shared_ptr<const TraceDescriptor> trace_to_replay(const CommandQueueImpl& queue,
                                                       uint32_t trace_id) {
  queue.check_accepts("Traces");
  const DeviceImpl& device = impl_of(*queue.device());
  std::shared_ptr<const TraceDescriptor> trace = device.trace(trace_id);
  throw_if_error(host::check_on_device(trace_id, trace != nullptr, target_of(device)));
  throw_if_error(
      host::check_manager(trace_id, trace->sub_device_manager, device.sub_devices().loaded_id()));
  return trace;
}

// Gives the queue the launches of the trace. `Table` and `values` are the record of the call.
template <class Table, class... Values>
void replay(const lightmetal::capture::CallScope& scope, CommandQueueImpl& queue, uint32_t trace_id,
            bool blocking, const Values&... values) {
  const auto trace = trace_to_replay(queue, trace_id);
  QueueCall call(scope, QueueCall::Kind::kEffect, wait_of(blocking));
  call.announces = true;
  call.sub_devices = trace->sub_device_ids;
  Operation launches = queue.operation_of(trace->content);
  if (blocking) launches = queue.and_wait(std::move(launches), trace->sub_device_ids);
  run_as<Table>(queue.order(), call, std::move(launches), values..., Blocks{blocking});
}

std::shared_ptr<TraceDescriptor> load(DeviceImpl& owner, uint8_t cq_id, uint32_t trace_id,
                                      const TraceDescriptor& given) {
  owner.queue(cq_id).check_accepts("Traces");
  TT_FATAL(given.content != nullptr, "Trace {} has no content to load", trace_id);
  // Before any kernel is loaded.
  check_lanes(*given.content, owner);
  const auto trace = describe(load_content(*given.content, owner), owner);
  owner.add_trace(trace_id, trace);
  take_trace_id(trace_id);
  return trace;
}

}  // namespace

void DeviceImpl::begin_trace(uint8_t cq_id, uint32_t trace_id) {
  CommandQueueImpl& begun = queue(cq_id);
  TT_FATAL(trace(trace_id) == nullptr, "Device {} has a trace {} already", id(), trace_id);
  for (uint8_t other = 0; other < num_hw_cqs(); ++other) {
    TT_FATAL(queue(other).tid() != trace_id, "Queue {} of device {} captures trace {} already",
             other, id(), trace_id);
  }
  begun.begin_trace(trace_id);
  take_trace_id(trace_id);
}

void DeviceImpl::check_replays(uint8_t cq_id, uint32_t trace_id, const char* call) const {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY(call);
  trace_to_replay(queue(cq_id), trace_id);
}

uint32_t BeginTraceCapture(IDevice* device, const uint8_t cq_id) {
  const uint32_t trace_id = replay_hooks::reserve_trace_id();
  impl_of(device).begin_trace(cq_id, trace_id);
  return trace_id;
}

void EndTraceCapture(IDevice* device, const uint8_t cq_id, const uint32_t tid) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  DeviceImpl& owner = impl_of(device);
  const auto trace = describe(owner.queue(cq_id).end_trace(tid), owner);
  owner.add_trace(tid, trace);
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::LoadTrace>, TraceOn{*device, tid}, *device, cq_id,
                                  *trace);
}

void LoadTrace(IDevice* device, const uint8_t cq_id, const uint32_t trace_id,
               const TraceDescriptor& trace_desc) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  const auto trace = load(impl_of(device), cq_id, trace_id, trace_desc);
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::LoadTrace>, TraceOn{*device, trace_id}, *device,
                                  cq_id, *trace);
}

void ReplayTrace(IDevice* device, const uint8_t cq_id, const uint32_t tid, const bool blocking) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  CommandQueueImpl& queue = impl_of(device).queue(cq_id);
  replay<schema::ReplayTrace>(light_metal_call_scope, queue, tid, queue.waits(blocking), *device,
                              cq_id, TraceOn{*device, tid});
}

void EnqueueTrace(CommandQueue& cq, uint32_t trace_id, bool blocking) {
  replay_hooks::enqueue_trace(cq, trace_id, impl_of(cq).waits(blocking));
}

void replay_hooks::replay_trace(IDevice* device, uint8_t cq_id, uint32_t tid, bool blocking) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY("ReplayTrace");
  replay<schema::ReplayTrace>(light_metal_call_scope, impl_of(device).queue(cq_id), tid, blocking,
                              *device, cq_id, TraceOn{*device, tid});
}

void replay_hooks::enqueue_trace(CommandQueue& cq, uint32_t trace_id, bool blocking) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY("EnqueueTrace");
  replay<schema::EnqueueTrace>(light_metal_call_scope, impl_of(cq), trace_id, blocking, cq,
                               TraceOn{*cq.device(), trace_id});
}

void ReleaseTrace(IDevice* device, const uint32_t tid) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  DeviceImpl& owner = impl_of(device);
  owner.check_open();
  throw_if_error(host::check_on_device(tid, owner.trace(tid) != nullptr, target_of(owner)));
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::ReleaseTrace>, *device, TraceOn{*device, tid});
  owner.remove_trace(tid);
}

namespace replay_hooks {

uint32_t reserve_trace_id() { return next_trace_id++; }

void load_trace_unrecorded(IDevice* device, uint8_t cq_id, uint32_t trace_id,
                           const TraceDescriptor& trace) {
  load(impl_of(device), cq_id, trace_id, trace);
}

void run_trace_unrecorded(IDevice* device, uint8_t cq_id, uint32_t trace_id) {
  CommandQueueImpl& queue = impl_of(device).queue(cq_id);
  const auto trace = trace_to_replay(queue, trace_id);
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  QueueCall call(light_metal_call_scope, QueueCall::Kind::kWait, QueueWait::kPatient);
  queue.run(call, queue.and_wait(queue.operation_of(trace->content), trace->sub_device_ids));
}

}  // namespace replay_hooks
}  // namespace tt::tt_metal
