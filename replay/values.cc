#include "replay/values.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "host/distribution.h"
#include "schema/semantics/buffer_shards.h"
#include "schema/text.h"

namespace lightmetal::replay {
namespace {

namespace tm = tt::tt_metal;

tm::DataMovementProcessor processor_of(schema::Processor processor) {
  return processor == schema::Processor::Riscv0 ? tm::DataMovementProcessor::RISCV_0
                                                : tm::DataMovementProcessor::RISCV_1;
}

tm::DataMovementConfig config_of(const schema::DataMovementConfig& from) {
  tm::DataMovementConfig to;
  to.processor = processor_of(from.processor());
  to.noc = static_cast<tm::NOC>(from.noc());
  to.noc_mode = static_cast<tm::NOC_MODE>(from.noc_mode());
  return to;
}

tm::ComputeConfig config_of(const schema::ComputeConfig& from) {
  tm::ComputeConfig to;
  to.math_fidelity = static_cast<MathFidelity>(from.math_fidelity());
  to.fp32_dest_acc_en = from.fp32_dest_acc_en();
  to.dst_full_sync_en = from.dst_full_sync_en();
  to.bfp8_pack_precise = from.bfp8_pack_precise();
  to.math_approx_mode = from.math_approx_mode();
  for (uint8_t fp32 : span_of(from.unpack_to_dest_fp32())) {
    to.unpack_to_dest_mode.push_back(fp32 != 0 ? UnpackToDestMode::UnpackToDestFp32
                                               : UnpackToDestMode::Default);
  }
  return to;
}

tm::EthernetConfig config_of(const schema::EthernetConfig& from) {
  tm::EthernetConfig to;
  to.eth_mode = static_cast<tm::Eth>(from.eth_mode());
  to.noc = static_cast<tm::NOC>(from.noc());
  to.processor = processor_of(from.processor());
  return to;
}

AnyKernelConfig variant_of(const schema::KernelCreate& call) {
  if (const auto* config = call.config_as_ComputeConfig()) return config_of(*config);
  if (const auto* config = call.config_as_EthernetConfig()) return config_of(*config);
  return config_of(*call.config_as_DataMovementConfig());
}

void set_index(tm::CircularBufferConfig& config, const schema::CircularBufferIndex& index) {
  const auto builder =
      index.remote() ? config.remote_index(index.index()) : config.index(index.index());
  const auto format = static_cast<DataFormat>(index.data_format());
  if (format != DataFormat::Invalid) builder.set_data_format(format);
  if (index.tile_height() != 0) {
    builder.set_tile_dims(
        tm::Tile({index.tile_height(), index.tile_width()}, index.transpose_tile()));
  }
  if (index.page_size() != 0) builder.set_page_size(index.page_size());
}

CoreRange range_of(const schema::CoreRange& range) {
  return CoreRange(core_of(range.start()), core_of(range.end()));
}

device::KernelOnCore on_core(const schema::TraceKernelOnCore& kernel) {
  return {kernel.kernel(), kernel.args_begin(), kernel.args_count(), kernel.common_begin(),
          kernel.common_count()};
}

device::CircularBufferPlan buffer_of(const schema::TraceCircularBuffer& buffer) {
  return {buffer.index(), static_cast<DataFormat>(buffer.format()), buffer.address(), buffer.size(),
          buffer.page_size()};
}

// Files from before version 1.2 do not say which circular buffers lie in buffers: their launches
// warn where the program's did not.
void mark_globally_allocated(const flatbuffers::Vector<uint8_t>* indices,
                             std::vector<device::CircularBufferPlan>& buffers) {
  if (indices == nullptr) return;
  for (device::CircularBufferPlan& buffer : buffers) {
    buffer.globally_allocated = std::ranges::find(*indices, buffer.index) != indices->end();
  }
}

template <class Vector, class Function>
auto converted(const Vector* values, Function convert) {
  std::vector<decltype(convert(**values->begin()))> result;
  if (values == nullptr) return result;
  result.reserve(values->size());
  for (const auto* value : *values) result.push_back(convert(*value));
  return result;
}

template <class Vector, class Visit>
void for_each(const Vector* values, Visit visit) {
  if (values == nullptr) return;
  for (const auto* value : *values) visit(*value);
}

device::CorePlan core_plan_of(const schema::TraceCore& core) {
  device::CorePlan plan;
  plan.core = {core.core()->x(), core.core()->y()};
  plan.kernels = converted(core.kernels(), on_core);
  plan.circular_buffers = converted(core.circular_buffers(), buffer_of);
  mark_globally_allocated(core.globally_allocated(), plan.circular_buffers);
  plan.semaphores = converted(core.semaphores(), [](const schema::TraceSemaphore& semaphore) {
    return device::SemaphorePlan{semaphore.id(), semaphore.initial_value()};
  });
  plan.remote_circular_buffers = converted(
      core.remote_circular_buffers(), [](const schema::TraceRemoteCircularBuffer& buffer) {
        return device::RemoteCircularBufferPlan{buffer.index(), buffer.config_address(),
                                                buffer.page_size()};
      });
  plan.kind = core.ethernet() ? device::CoreKind::kEthernet : device::CoreKind::kWorker;
  if (core.origin() != nullptr) plan.origin = {core.origin()->x(), core.origin()->y()};
  return plan;
}

}  // namespace

std::vector<uint32_t> words_of(const flatbuffers::Vector<uint32_t>* words) {
  const std::span<const uint32_t> span = span_of(words);
  return {span.begin(), span.end()};
}

std::vector<tm::SubDeviceId> sub_devices_of(const flatbuffers::Vector<uint8_t>* ids) {
  std::vector<tm::SubDeviceId> sub_devices;
  for (uint8_t id : span_of(ids)) sub_devices.emplace_back(id);
  return sub_devices;
}

std::vector<CoreCoord> cores_of(const flatbuffers::Vector<const schema::CoreCoord*>* cores) {
  return converted(cores, core_of);
}

CoreRangeSet ranges_of(const flatbuffers::Vector<const schema::CoreRange*>* ranges) {
  return CoreRangeSet(converted(ranges, range_of));
}

std::variant<CoreCoord, CoreRange, CoreRangeSet> spec_of(
    const flatbuffers::Vector<const schema::CoreRange*>* ranges) {
  if (ranges == nullptr || ranges->size() != 1) return ranges_of(ranges);
  const CoreRange range = range_of(*ranges->Get(0));
  if (range.start_coord == range.end_coord) return range.start_coord;
  return range;
}

namespace {

std::optional<tm::ShardSpecBuffer> shard_of(const schema::ShardSpec* shard) {
  if (shard == nullptr) return std::nullopt;
  return tm::ShardSpecBuffer(ranges_of(shard->grid()),
                             {shard->shape_height(), shard->shape_width()},
                             static_cast<tm::ShardOrientation>(shard->orientation()),
                             {shard->page_height(), shard->page_width()},
                             {shard->tensor_height_in_pages(), shard->tensor_width_in_pages()});
}

tm::Shape shape_of(const flatbuffers::Vector<uint32_t>* extents) {
  return tm::Shape(words_of(extents));
}

std::optional<tm::BufferDistributionSpec> distribution_of(
    const schema::BufferDistribution* distribution) {
  if (distribution == nullptr) return std::nullopt;
  // The specification would accept more than a file may say, such as shapes of unequal rank.
  const absl::Status status =
      host::DealtShards::of(schema::semantics::distribution_of(*distribution)).status();
  if (!status.ok()) throw std::runtime_error(std::string(status.message()));
  return tm::BufferDistributionSpec(
      shape_of(distribution->tensor_shape()), shape_of(distribution->shard_shape()),
      cores_of(distribution->cores()),
      static_cast<tm::ShardDistributionStrategy>(distribution->strategy()));
}

}  // namespace

tm::BufferShardingArgs sharding_of(const schema::BufferCreate& call) {
  const auto* distribution = call.distribution();
  const schema::BufferLayout layout =
      distribution == nullptr ? call.layout() : distribution->layout();
  return {distribution_of(distribution), shard_of(call.shard()),
          static_cast<tm::TensorMemoryLayout>(layout)};
}

AnyKernelConfig config_of(const schema::KernelCreate& call) {
  AnyKernelConfig config = variant_of(call);
  std::visit(
      [&](auto& any) {
        any.compile_args = words_of(call.compile_args());
        for_each(call.defines(), [&](const schema::Define& define) {
          any.defines[schema::text_of(define.key())] = schema::text_of(define.value());
        });
        for_each(call.named_compile_args(), [&](const schema::NamedArg& arg) {
          any.named_compile_args[schema::text_of(arg.name())] = arg.value();
        });
        if (const auto level = call.opt_level())
          any.opt_level = static_cast<tm::KernelBuildOptLevel>(*level);
        for_each(call.compiler_include_paths(), [&](const flatbuffers::String& path) {
          any.compiler_include_paths.emplace_back(path.str());
        });
      },
      config);
  return config;
}

tm::CircularBufferConfig config_of(const schema::CircularBufferConfig& from) {
  tm::CircularBufferConfig config(from.total_size());
  if (from.indices() == nullptr) return config;
  for (const schema::CircularBufferIndex* index : *from.indices()) set_index(config, *index);
  return config;
}

device::Launch launch_of(const schema::TraceLaunch& traced) {
  auto plan = std::make_shared<device::LaunchPlan>();
  plan->kernels = converted(traced.kernels(), [](const schema::TraceKernel& kernel) {
    return device::KernelPlan{nullptr, static_cast<device::Processor>(kernel.processor()),
                              kernel.noc(), schema::text_of(kernel.name())};
  });
  plan->cores = converted(traced.cores(), core_plan_of);
  plan->lane = traced.lane();
  return {std::move(plan), words_of(traced.args())};
}

}  // namespace lightmetal::replay
