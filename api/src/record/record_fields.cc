// The host API's values as fields of commands.
#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "api/src/objects/trace_content.h"
#include "api/src/record/record.h"

namespace tt::tt_metal {

std::string description_of(const IDevice& device) { return absl::StrCat("of chip ", device.id()); }

std::string description_of(const Buffer& buffer) {
  return absl::StrFormat("of %d bytes at address 0x%x", buffer.size(), buffer.address());
}

std::string description_of(const ProgramState& program) {
  return absl::StrCat("of ", program.kernels.size(), " kernels");
}

std::string description_of(const Kernel& kernel) { return absl::StrCat("named ", kernel.name()); }

std::string description_of(const TraceOn& trace) {
  return absl::StrCat("with id ", trace.id, " of chip ", trace.device.id());
}

std::string description_of(const ManagerOn& manager) {
  return absl::StrCat("with id ", *manager.id, " of chip ", manager.device.id());
}

}  // namespace tt::tt_metal

namespace lightmetal::capture {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

// One table for each value: `encode(value)` builds it.
template <class Values, class Encode>
auto tables(Encoder& encoder, const Values& values, Encode encode) {
  std::vector<decltype(encode(*std::begin(values)))> offsets;
  offsets.reserve(values.size());
  for (const auto& value : values) offsets.push_back(encode(value));
  return encoder.builder().CreateVector(offsets);
}

// One struct for each value. The structs are copied, because CreateUninitializedVectorOfStructs of
// FlatBuffers 2.0 aligns wrongly.
template <class Struct, class Values, class Convert>
VectorOffset<const Struct*> structs(Encoder& encoder, const Values& values, Convert convert) {
  absl::InlinedVector<Struct, 8> all;
  for (const auto& value : values) all.push_back(convert(value));
  return encoder.builder().CreateVectorOfStructs(all.data(), all.size());
}

}  // namespace

Offset<schema::TensorDesc> field(Encoder& encoder, const TensorDesc& tensor) {
  return schema::CreateTensorDescDirect(encoder.builder(),
                                        tensor.shape.empty() ? nullptr : &tensor.shape,
                                        static_cast<schema::ElementType>(tensor.type),
                                        static_cast<schema::TensorOrder>(tensor.order));
}

// ---- Cores and sub-devices ----

VectorOffset<const schema::CoreCoord*> field(Encoder& encoder,
                                             const std::vector<tm::CoreCoord>& cores) {
  return structs<schema::CoreCoord>(
      encoder, cores, [&](const tm::CoreCoord& core) { return field(encoder, core); });
}

VectorOffset<const schema::CoreRange*> field(Encoder& encoder, const tm::CoreRangeSet& cores) {
  return structs<schema::CoreRange>(encoder, cores.ranges(), [&](const tm::CoreRange& range) {
    return schema::CoreRange(field(encoder, range.start_coord), field(encoder, range.end_coord));
  });
}

VectorOffset<uint8_t> field(Encoder& encoder, std::span<const tm::SubDeviceId> sub_devices) {
  if (sub_devices.empty()) return 0;
  uint8_t* out = nullptr;
  const auto offset = encoder.builder().CreateUninitializedVector(sub_devices.size(), &out);
  for (const tm::SubDeviceId& sub_device : sub_devices) *out++ = *sub_device;
  return offset;
}

TablesOffset<schema::SubDevice> field(Encoder& encoder,
                                      std::span<const tm::SubDevice> sub_devices) {
  return tables(encoder, sub_devices, [&](const tm::SubDevice& sub_device) {
    return schema::CreateSubDevice(
        encoder.builder(), field(encoder, sub_device.cores(tm::HalProgrammableCoreType::TENSIX)));
  });
}

TablesOffset<schema::SenderToReceivers> field(
    Encoder& encoder, const std::vector<std::pair<CoreCoord, tm::CoreRangeSet>>& mapping) {
  return tables(encoder, mapping, [&](const auto& sender_to_receivers) {
    const auto receivers = field(encoder, sender_to_receivers.second);
    const schema::CoreCoord sender = field(encoder, sender_to_receivers.first);
    return schema::CreateSenderToReceivers(encoder.builder(), &sender, receivers);
  });
}

// ---- Runtime arguments ----

Offset<schema::RuntimeArgs> field(Encoder& encoder, const tm::LightMetalArgs& args) {
  const auto all = tables(encoder, args, [&](const tm::LightMetalArg& arg) {
    const auto* address = std::get_if<tm::LightMetalAddress>(&arg);
    return address != nullptr
               ? schema::CreateRuntimeArg(encoder.builder(), use(encoder, *address->buffer),
                                          address->offset)
               : schema::CreateRuntimeArg(encoder.builder(), 0, std::get<uint32_t>(arg));
  });
  return schema::CreateRuntimeArgs(encoder.builder(), all);
}

// ---- Circular buffers ----

namespace {

Offset<schema::CircularBufferIndex> index_of(FlatBufferBuilder& builder,
                                             const tm::CircularBufferConfig& config,
                                             uint8_t index) {
  const std::optional<tm::Tile>& tile = config.tiles()[index];
  return schema::CreateCircularBufferIndex(
      builder, index, config.remote_buffer_indices().contains(index),
      static_cast<uint8_t>(config.data_formats()[index].value_or(tt::DataFormat::Invalid)),
      config.page_sizes()[index].value_or(0), tile ? tile->get_height() : 0,
      tile ? tile->get_width() : 0, tile && tile->get_transpose_within_face());
}

// The file's id of the buffer in whose memory the circular buffer lies, 0 without one. The buffer
// may be gone, so only its id is looked at.
uint64_t use_shared_buffer(Encoder& encoder, const tm::CircularBufferConfig& config) {
  const tm::BufferId buffer{config.globally_allocated_buffer_id()};
  if (buffer.id == 0) return 0;
  if (knows(buffer)) return encoder.use(buffer);
  encoder.fail(
      "the buffer whose memory it shares was destroyed, or created before the capture began");
  return 0;
}

}  // namespace

Offset<schema::CircularBufferConfig> field(Encoder& encoder,
                                           const tm::CircularBufferConfig& config) {
  std::vector<uint8_t> indices(config.buffer_indices().begin(), config.buffer_indices().end());
  // A set has no order; equal calls give equal bytes.
  std::sort(indices.begin(), indices.end());
  const auto all = tables(
      encoder, indices, [&](uint8_t index) { return index_of(encoder.builder(), config, index); });
  schema::CircularBufferConfigBuilder table(encoder.builder());
  table.add_total_size(config.total_size());
  table.add_buffer(use_shared_buffer(encoder, config));
  table.add_indices(all);
  return table.Finish();
}

// ---- Device traces ----

namespace {

Offset<schema::TraceKernel> traced_kernel(Encoder& encoder, const device::KernelPlan& kernel,
                                          const device::KernelObject& object) {
  FlatBufferBuilder& builder = encoder.builder();
  const schema::BlobRef bytes = encoder.blob(object.bytes);
  const auto name = builder.CreateString(kernel.name);
  const auto target = builder.CreateString(object.target);
  return schema::CreateTraceKernel(builder, name, target, &bytes,
                                   static_cast<schema::Processor>(kernel.processor), kernel.noc);
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

Offset<schema::TraceCore> traced_core(Encoder& encoder, const device::CorePlan& plan) {
  const schema::CoreCoord core(plan.core.x, plan.core.y);
  const auto kernels = structs<schema::TraceKernelOnCore>(encoder, plan.kernels, on_core);
  const auto buffers =
      structs<schema::TraceCircularBuffer>(encoder, plan.circular_buffers, traced_buffer);
  const auto semaphores =
      structs<schema::TraceSemaphore>(encoder, plan.semaphores, traced_semaphore);
  // The fields are absent where there is nothing to say, as they are in files from before these
  // fields.
  VectorOffset<const schema::TraceRemoteCircularBuffer*> remote = 0;
  if (!plan.remote_circular_buffers.empty()) {
    remote = structs<schema::TraceRemoteCircularBuffer>(encoder, plan.remote_circular_buffers,
                                                        traced_remote);
  }
  std::vector<uint8_t> in_buffers;
  for (const device::CircularBufferPlan& buffer : plan.circular_buffers) {
    if (buffer.globally_allocated) in_buffers.push_back(buffer.index);
  }
  const auto globally_allocated =
      in_buffers.empty() ? 0 : encoder.builder().CreateVector(in_buffers);
  const schema::CoreCoord origin(plan.origin.x, plan.origin.y);
  return schema::CreateTraceCore(encoder.builder(), &core, kernels, buffers, semaphores, remote,
                                 plan.origin == Core{} ? nullptr : &origin,
                                 plan.kind == device::CoreKind::kEthernet, globally_allocated);
}

Offset<schema::TraceLaunch> traced_launch(Encoder& encoder, const tm::TracedLaunch& traced) {
  const device::LaunchPlan& plan = *traced.launch.plan;
  std::vector<Offset<schema::TraceKernel>> kernels;
  for (size_t i = 0; i < plan.kernels.size(); ++i) {
    kernels.push_back(traced_kernel(encoder, plan.kernels[i], *traced.objects[i]));
  }
  std::vector<Offset<schema::TraceCore>> cores;
  for (const device::CorePlan& core : plan.cores) cores.push_back(traced_core(encoder, core));
  const auto kernels_offset = encoder.builder().CreateVector(kernels);
  const auto cores_offset = encoder.builder().CreateVector(cores);
  const auto args = encoder.builder().CreateVector(traced.launch.args);
  return schema::CreateTraceLaunch(encoder.builder(), kernels_offset, cores_offset, args,
                                   plan.lane);
}

}  // namespace

Offset<schema::TraceContent> field(Encoder& encoder, const tm::TraceDescriptor& trace) {
  std::vector<Offset<schema::TraceLaunch>> launches;
  if (trace.content == nullptr) {
    encoder.fail("the trace has no content");
  } else {
    for (const tm::TracedLaunch& traced : trace.content->launches) {
      launches.push_back(traced_launch(encoder, traced));
    }
  }
  return schema::CreateTraceContent(encoder.builder(), encoder.builder().CreateVector(launches));
}

// ---- Buffers ----

Offset<schema::ShardSpec> field(Encoder& encoder, const std::optional<tm::ShardSpecBuffer>& spec) {
  if (!spec) return 0;
  const auto grid = field(encoder, spec->grid());
  return schema::CreateShardSpec(
      encoder.builder(), grid, spec->shape()[0], spec->shape()[1],
      static_cast<schema::ShardOrientation>(spec->orientation()), spec->page_shape[0],
      spec->page_shape[1], spec->tensor2d_shape_in_pages[0], spec->tensor2d_shape_in_pages[1]);
}

Offset<schema::BufferDistribution> field(Encoder& encoder, const tm::BufferShardingArgs& sharding) {
  const auto& spec = sharding.buffer_distribution_spec();
  if (!spec.has_value() || !tm::is_sharded(sharding.buffer_layout())) return 0;
  FlatBufferBuilder& builder = encoder.builder();
  const auto vector_of = [&](const tm::Shape& shape) {
    return builder.CreateVector(shape.view().data(), shape.rank());
  };
  const auto tensor = vector_of(spec->tensor_shape_in_pages());
  const auto shard = vector_of(spec->shard_shape_in_pages());
  std::vector<schema::CoreCoord> cores;
  for (const tm::CoreCoord& core : spec->cores()) {
    cores.emplace_back(static_cast<uint32_t>(core.x), static_cast<uint32_t>(core.y));
  }
  return schema::CreateBufferDistribution(
      builder, tensor, shard, builder.CreateVectorOfStructs(cores),
      static_cast<schema::ShardDistribution>(spec->shard_distribution_strategy()),
      static_cast<schema::BufferLayout>(sharding.buffer_layout()));
}

Offset<schema::BufferCreate> create_buffer(
    FlatBufferBuilder& builder, uint64_t id, uint64_t device, std::optional<uint64_t> address,
    uint64_t allocated_address, uint64_t size, uint64_t page_size, schema::BufferType buffer_type,
    schema::BufferLayout layout, Offset<schema::ShardSpec> shard, std::optional<bool> bottom_up,
    std::optional<uint8_t> sub_device, Offset<schema::BufferDistribution> distribution) {
  schema::BufferCreateBuilder call(builder);
  call.add_id(id);
  call.add_device(device);
  if (address) call.add_address(*address);
  call.add_allocated_address(allocated_address);
  call.add_size(size);
  call.add_page_size(page_size);
  call.add_buffer_type(buffer_type);
  call.add_layout(layout);
  call.add_shard(shard);
  if (bottom_up) call.add_bottom_up(*bottom_up);
  if (sub_device) call.add_sub_device(*sub_device);
  call.add_distribution(distribution);
  return call.Finish();
}

Offset<schema::Synchronize> create_synchronize(FlatBufferBuilder& builder, uint64_t device,
                                               std::optional<uint8_t> cq,
                                               VectorOffset<uint8_t> sub_devices) {
  schema::SynchronizeBuilder call(builder);
  call.add_device(device);
  if (cq) call.add_cq(*cq);
  call.add_sub_devices(sub_devices);
  return call.Finish();
}

}  // namespace lightmetal::capture
