#include "absl/strings/str_cat.h"
#include "api/src/capture_calls.h"
#include "api/src/capture_objects.h"
#include "api/src/trace_content.h"

namespace tt::tt_metal::capture_calls {
namespace {

using namespace lightmetal::capture;
namespace device = lightmetal::device;

Offset<schema::TraceKernel> traced_kernel(Encoder& encoder, const device::KernelPlan& kernel,
                                          const device::KernelObject& object) {
  FlatBufferBuilder& builder = encoder.builder();
  const schema::BlobRef bytes = encoder.blob(object.bytes);
  const auto name = builder.CreateString(kernel.name);
  const auto target = builder.CreateString(object.target);
  return schema::CreateTraceKernel(builder, name, target, &bytes,
                                   static_cast<schema::Processor>(kernel.processor), kernel.noc);
}

template <class Out, class In, class Convert>
Offset<flatbuffers::Vector<const Out*>> structs(FlatBufferBuilder& builder,
                                                const std::vector<In>& values, Convert convert) {
  return builder.CreateVectorOfStructs<Out>(values.size(),
                                            [&](size_t i, Out* out) { *out = convert(values[i]); });
}

schema::TraceKernelOnCore on_core(const device::KernelOnCore& kernel) {
  return {kernel.kernel, kernel.args_begin, kernel.args_count, kernel.common_begin,
          kernel.common_count};
}

schema::TraceCircularBuffer traced_buffer(const device::CircularBufferPlan& plan) {
  return {plan.address, plan.size, plan.page_size, plan.index, static_cast<uint8_t>(plan.format)};
}

schema::TraceRemoteCircularBuffer traced_remote(const device::RemoteCircularBufferPlan& plan) {
  return {plan.config_address, plan.page_size, plan.index};
}

schema::TraceSemaphore traced_semaphore(const device::SemaphorePlan& plan) {
  return {plan.id, plan.initial_value};
}

Offset<schema::TraceCore> traced_core(FlatBufferBuilder& builder, const device::CorePlan& plan) {
  const schema::CoreCoord core(plan.core.x, plan.core.y);
  const auto kernels = structs<schema::TraceKernelOnCore>(builder, plan.kernels, on_core);
  const auto buffers =
      structs<schema::TraceCircularBuffer>(builder, plan.circular_buffers, traced_buffer);
  const auto semaphores =
      structs<schema::TraceSemaphore>(builder, plan.semaphores, traced_semaphore);
  // Absent where there is nothing to say, as in files from before these fields.
  Offset<flatbuffers::Vector<const schema::TraceRemoteCircularBuffer*>> remote = 0;
  if (!plan.remote_circular_buffers.empty()) {
    remote = structs<schema::TraceRemoteCircularBuffer>(builder, plan.remote_circular_buffers,
                                                        traced_remote);
  }
  std::vector<uint8_t> in_buffers;
  for (const device::CircularBufferPlan& buffer : plan.circular_buffers) {
    if (buffer.globally_allocated) in_buffers.push_back(buffer.index);
  }
  const auto globally_allocated = in_buffers.empty() ? 0 : builder.CreateVector(in_buffers);
  const schema::CoreCoord origin(plan.origin.x, plan.origin.y);
  return schema::CreateTraceCore(builder, &core, kernels, buffers, semaphores, remote,
                                 plan.origin == lightmetal::Core{} ? nullptr : &origin,
                                 plan.kind == device::CoreKind::kEthernet, globally_allocated);
}

Offset<schema::TraceLaunch> traced_launch(Encoder& encoder, const TracedLaunch& traced) {
  FlatBufferBuilder& builder = encoder.builder();
  const device::LaunchPlan& plan = *traced.launch.plan;
  std::vector<Offset<schema::TraceKernel>> kernels;
  for (size_t i = 0; i < plan.kernels.size(); ++i) {
    kernels.push_back(traced_kernel(encoder, plan.kernels[i], *traced.objects[i]));
  }
  std::vector<Offset<schema::TraceCore>> cores;
  for (const device::CorePlan& core : plan.cores) cores.push_back(traced_core(builder, core));
  const auto kernels_offset = builder.CreateVector(kernels);
  const auto cores_offset = builder.CreateVector(cores);
  const auto args = words(builder, traced.launch.args);
  return schema::CreateTraceLaunch(builder, kernels_offset, cores_offset, args, plan.lane);
}

Offset<schema::TraceContent> content_of(Encoder& encoder, const TraceDescriptor& trace) {
  std::vector<Offset<schema::TraceLaunch>> launches;
  if (trace.content == nullptr)
    encoder.fail("the trace has no content");
  else
    for (const TracedLaunch& traced : trace.content->launches) {
      launches.push_back(traced_launch(encoder, traced));
    }
  return schema::CreateTraceContent(encoder.builder(), encoder.builder().CreateVector(launches));
}

uint64_t use_trace(Encoder& encoder, const IDevice& device, uint32_t trace_id) {
  return encoder.use(trace_object(device, trace_id),
                     [&] { return absl::StrCat("with id ", trace_id, " of chip ", device.id()); });
}

}  // namespace

void load_trace(const IDevice& device, uint8_t cq_id, uint32_t trace_id,
                const TraceDescriptor& trace) {
  record_creation<schema::LoadTrace>(trace_object(device, trace_id), [&](Encoder& encoder) {
    const auto content = content_of(encoder, trace);
    return schema::CreateLoadTrace(encoder.builder(), kNewId, use(encoder, device), cq_id, content);
  });
}

void replay_trace(const IDevice& device, uint8_t cq_id, uint32_t trace_id, bool blocking) {
  record<schema::ReplayTrace>([&](Encoder& encoder) {
    return schema::CreateReplayTrace(encoder.builder(), use(encoder, device), cq_id,
                                     use_trace(encoder, device, trace_id), blocking);
  });
}

void enqueue_trace(const CommandQueue& cq, uint32_t trace_id, bool blocking) {
  record<schema::EnqueueTrace>([&](Encoder& encoder) {
    const IDevice& device = *cq.device();
    return schema::CreateEnqueueTrace(encoder.builder(), use(encoder, device), queue_number(cq),
                                      use_trace(encoder, device, trace_id), blocking);
  });
}

void release_trace(const IDevice& device, uint32_t trace_id) {
  record_destruction<schema::ReleaseTrace>(
      trace_object(device, trace_id), [&](Encoder& encoder, uint64_t id) {
        return schema::CreateReleaseTrace(encoder.builder(), use(encoder, device), id);
      });
}

}  // namespace tt::tt_metal::capture_calls
