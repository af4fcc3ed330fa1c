#include <algorithm>

#include "api/src/capture_calls.h"
#include "api/src/capture_objects.h"

namespace tt::tt_metal::capture_calls {
namespace {

using namespace lightmetal::capture;

schema::Processor processor_of(DataMovementProcessor processor) {
  return processor == DataMovementProcessor::RISCV_0 ? schema::Processor::Riscv0
                                                     : schema::Processor::Riscv1;
}

// A kernel's configuration as a member of the union.
struct Config {
  schema::KernelConfig type;
  Offset<void> offset;
};

Config config_of(FlatBufferBuilder& builder, const DataMovementConfig& config) {
  return {schema::KernelConfig::DataMovementConfig,
          schema::CreateDataMovementConfig(builder, processor_of(config.processor), config.noc,
                                           config.noc_mode)
              .Union()};
}

Config config_of(FlatBufferBuilder& builder, const ComputeConfig& config) {
  std::vector<uint8_t> fp32;  // the numbers of UnpackToDestMode are not the file's
  for (UnpackToDestMode mode : config.unpack_to_dest_mode) {
    fp32.push_back(mode == UnpackToDestMode::UnpackToDestFp32);
  }
  const auto unpack_to_dest_fp32 = builder.CreateVector(fp32);
  return {schema::KernelConfig::ComputeConfig,
          schema::CreateComputeConfig(builder, static_cast<uint8_t>(config.math_fidelity),
                                      config.fp32_dest_acc_en, config.dst_full_sync_en,
                                      config.bfp8_pack_precise, config.math_approx_mode,
                                      unpack_to_dest_fp32)
              .Union()};
}

Config config_of(FlatBufferBuilder& builder, const EthernetConfig& config) {
  return {schema::KernelConfig::EthernetConfig,
          schema::CreateEthernetConfig(builder, config.eth_mode, config.noc,
                                       processor_of(config.processor))
              .Union()};
}

auto defines_of(FlatBufferBuilder& builder, const std::map<std::string, std::string>& defines) {
  std::vector<Offset<schema::Define>> offsets;
  for (const auto& [key, value] : defines) {
    offsets.push_back(
        schema::CreateDefine(builder, builder.CreateString(key), builder.CreateString(value)));
  }
  return builder.CreateVector(offsets);
}

Offset<schema::CircularBufferIndex> index_of(FlatBufferBuilder& builder,
                                             const CircularBufferConfig& config, uint8_t index) {
  const std::optional<Tile>& tile = config.tiles()[index];
  return schema::CreateCircularBufferIndex(
      builder, index, config.remote_buffer_indices().contains(index),
      static_cast<uint8_t>(config.data_formats()[index].value_or(DataFormat::Invalid)),
      config.page_sizes()[index].value_or(0), tile ? tile->get_height() : 0,
      tile ? tile->get_width() : 0, tile && tile->get_transpose_within_face());
}

auto indices_of(FlatBufferBuilder& builder, const CircularBufferConfig& config) {
  std::vector<uint8_t> indices(config.buffer_indices().begin(), config.buffer_indices().end());
  std::sort(indices.begin(), indices.end());
  std::vector<Offset<schema::CircularBufferIndex>> offsets;
  for (uint8_t index : indices) offsets.push_back(index_of(builder, config, index));
  return builder.CreateVector(offsets);
}

// The buffer may be gone: only its id is looked at.
uint64_t use_shared_buffer(Encoder& encoder, const CircularBufferConfig& config) {
  const Object buffer{Kind::Buffer, config.globally_allocated_buffer_id()};
  if (buffer.id == 0) return 0;
  if (knows(buffer)) return encoder.use(buffer);
  encoder.fail(
      "the buffer whose memory it shares was destroyed, or created before the capture began");
  return 0;
}

Offset<schema::CircularBufferConfig> config_of(Encoder& encoder,
                                               const CircularBufferConfig& config) {
  const auto indices = indices_of(encoder.builder(), config);
  schema::CircularBufferConfigBuilder table(encoder.builder());
  table.add_total_size(config.total_size());
  table.add_buffer(use_shared_buffer(encoder, config));
  table.add_indices(indices);
  return table.Finish();
}

}  // namespace

void program_create(const ProgramState& program) {
  record_creation<schema::ProgramCreate>(object_of(program), [](Encoder& encoder) {
    return schema::CreateProgramCreate(encoder.builder(), kNewId);
  });
}

void program_destroy(const ProgramState& program) {
  record_destruction<schema::ProgramDestroy>(object_of(program), [](Encoder& encoder, uint64_t id) {
    return schema::CreateProgramDestroy(encoder.builder(), id);
  });
  for (const auto& kernel : program.kernels) forget(object_of(*kernel));
  for (const auto& shared : program.circular_buffers) forget(circular_buffer(shared->id()));
}

void create_kernel(const ProgramState& program, const Kernel& kernel) {
  record_creation<schema::KernelCreate>(object_of(kernel), [&](Encoder& encoder) {
    FlatBufferBuilder& builder = encoder.builder();
    const auto source_name = builder.CreateString(kernel.source_path());
    const schema::Digest digest(source_digest_of(kernel).low, source_digest_of(kernel).high);
    const auto cores = ranges(builder, kernel.core_range_set());
    const Config config = std::visit(
        [&](const auto& alternative) { return config_of(builder, alternative); }, kernel.config());
    const auto compile_args = words(builder, kernel.compile_time_args());
    const auto defines = defines_of(builder, kernel.defines());
    return schema::CreateKernelCreate(
        builder, kNewId, use(encoder, program), kernel.handle(),
        kernel.is_from_string() ? schema::KernelSourceKind::String : schema::KernelSourceKind::File,
        source_name, &digest, cores, config.type, config.offset, compile_args, defines);
  });
}

void kernel_binary(const Kernel& kernel, const lightmetal::device::KernelObject& object) {
  // Of a program that the file does not know, the launch that follows says so.
  record_if_known<schema::KernelBinary>(object_of(kernel), [&](Encoder& encoder) {
    const schema::BlobRef bytes = encoder.blob(object.bytes);
    const auto target = encoder.builder().CreateString(object.target);
    return schema::CreateKernelBinary(encoder.builder(), use(encoder, kernel), target, &bytes);
  });
}

void kernel_binary_once(Kernel& kernel, const KernelObjectPtr& object) {
  for_each_capture([&] {
    if (kernel.state().needs_binary_record(object)) kernel_binary(kernel, *object);
  });
}

void create_circular_buffer(const ProgramState& program, CBHandle handle, const CoreRangeSet& cores,
                            const CircularBufferConfig& config) {
  record_creation<schema::CircularBufferCreate>(circular_buffer(handle), [&](Encoder& encoder) {
    const auto core_ranges = ranges(encoder.builder(), cores);
    const auto config_offset = config_of(encoder, config);
    return schema::CreateCircularBufferCreate(encoder.builder(), kNewId, use(encoder, program),
                                              core_ranges, config_offset);
  });
}

void create_circular_buffer_on_global(const ProgramState& program, CBHandle handle,
                                      const CoreRangeSet& cores, const CircularBufferConfig& config,
                                      const experimental::GlobalCircularBuffer& buffer) {
  record_creation<schema::CircularBufferCreateOnGlobal>(
      circular_buffer(handle), [&](Encoder& encoder) {
        const auto core_ranges = ranges(encoder.builder(), cores);
        const auto config_offset = config_of(encoder, config);
        return schema::CreateCircularBufferCreateOnGlobal(
            encoder.builder(), kNewId, use(encoder, program), core_ranges, config_offset,
            encoder.use(object_of(buffer)));
      });
}

void update_dynamic_circular_buffer_global(CBHandle handle,
                                           const experimental::GlobalCircularBuffer& buffer) {
  record<schema::UpdateDynamicCircularBufferGlobal>([&](Encoder& encoder) {
    return schema::CreateUpdateDynamicCircularBufferGlobal(
        encoder.builder(), encoder.use(circular_buffer(handle)), encoder.use(object_of(buffer)));
  });
}

void update_circular_buffer_total_size(CBHandle handle, uint32_t total_size) {
  record<schema::UpdateCircularBufferTotalSize>([&](Encoder& encoder) {
    return schema::CreateUpdateCircularBufferTotalSize(
        encoder.builder(), encoder.use(circular_buffer(handle)), total_size);
  });
}

void update_circular_buffer_page_size(CBHandle handle, uint8_t index, uint32_t page_size) {
  record<schema::UpdateCircularBufferPageSize>([&](Encoder& encoder) {
    return schema::CreateUpdateCircularBufferPageSize(
        encoder.builder(), encoder.use(circular_buffer(handle)), index, page_size);
  });
}

void update_dynamic_circular_buffer_address(CBHandle handle, const Buffer& buffer) {
  record<schema::UpdateDynamicCircularBufferAddress>([&](Encoder& encoder) {
    return schema::CreateUpdateDynamicCircularBufferAddress(
        encoder.builder(), encoder.use(circular_buffer(handle)), use(encoder, buffer));
  });
}

void update_dynamic_circular_buffer_address_and_total_size(CBHandle handle, const Buffer& buffer,
                                                           uint32_t total_size) {
  record<schema::UpdateDynamicCircularBufferAddressAndTotalSize>([&](Encoder& encoder) {
    return schema::CreateUpdateDynamicCircularBufferAddressAndTotalSize(
        encoder.builder(), encoder.use(circular_buffer(handle)), use(encoder, buffer), total_size);
  });
}

void create_semaphore(const ProgramState& program, const CoreRangeSet& cores,
                      uint32_t initial_value, CoreType core_type, uint32_t semaphore_id) {
  record<schema::CreateSemaphore>([&](Encoder& encoder) {
    const auto core_ranges = ranges(encoder.builder(), cores);
    return schema::CreateCreateSemaphore(encoder.builder(), use(encoder, program), core_ranges,
                                         initial_value, static_cast<uint8_t>(core_type),
                                         semaphore_id);
  });
}

void assign_global_buffer_to_program(const Buffer& buffer, const ProgramState& program) {
  record<schema::AssignGlobalBufferToProgram>([&](Encoder& encoder) {
    return schema::CreateAssignGlobalBufferToProgram(encoder.builder(), use(encoder, buffer),
                                                     use(encoder, program));
  });
}

}  // namespace tt::tt_metal::capture_calls
