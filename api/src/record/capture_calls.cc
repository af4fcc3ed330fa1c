#include "api/src/record/capture_calls.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "api/src/objects/device_access.h"
#include "api/src/objects/kernel_state.h"
#include "api/src/record/record.h"
#include "capture/recorder.h"

namespace tt::tt_metal::capture_calls {

using namespace lightmetal::capture;
using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

// ---- Devices ----

void create_device(const IDevice& device) {
  const DeviceParameters& parameters = parameters_of(device);
  // The axis of the dispatch configuration is not in the file.
  record<schema::CreateDevice>(
      device, static_cast<uint32_t>(parameters.chip_id), parameters.num_hw_cqs,
      parameters.l1_small_size, parameters.trace_region_size,
      static_cast<uint8_t>(parameters.dispatch.get_dispatch_core_type()), parameters.l1_bank_remap,
      parameters.backend, parameters.profile, parameters.mesh_place);
}

void deallocate_buffers() {
  record_error(absl::UnimplementedError(
      "the call Allocator::deallocate_buffers cannot be captured: it frees the memory of buffers "
      "that live on"));
}

// ---- Buffers ----

namespace {

// The file has no word for a single bank: the one page of such a buffer lies where the first page
// of an interleaved one does.
schema::BufferLayout layout_of(const Buffer& buffer) {
  if (buffer.distribution() != nullptr) return schema::BufferLayout::NdSharded;
  if (buffer.buffer_layout() == TensorMemoryLayout::SINGLE_BANK) {
    return schema::BufferLayout::Interleaved;
  }
  return static_cast<schema::BufferLayout>(buffer.buffer_layout());
}

}  // namespace

void buffer_create(const Buffer& buffer) {
  buffer_create_as(buffer, {buffer.given_address(), buffer.page_size(), buffer.sub_device_id()});
}

void buffer_create_as(const Buffer& buffer, const BufferCreation& creation) {
  std::optional<uint8_t> sub_device;
  if (creation.sub_device) sub_device = **creation.sub_device;
  record<schema::BufferCreate>(buffer, *buffer.device(), creation.given_address, buffer.address(),
                               buffer.size(), creation.page_size, buffer.buffer_type(),
                               layout_of(buffer), buffer.given_sharding().shard_spec(),
                               buffer.given_bottom_up(), sub_device, buffer.given_sharding());
}

// ---- Programs ----

void program_destroy(const ProgramState& program) {
  record<schema::ProgramDestroy>(program);
  // Kernels and circular buffers have no destruction of their own in a file: they end with the
  // program.
  for (const auto& kernel : program.kernels) forget(object_of(*kernel));
  for (const auto& shared : program.circular_buffers) forget(CircularBufferId{shared->id()});
}

namespace {

schema::Processor processor_of(DataMovementProcessor processor) {
  return processor == DataMovementProcessor::RISCV_0 ? schema::Processor::Riscv0
                                                     : schema::Processor::Riscv1;
}

Offset<schema::DataMovementConfig> config_of(FlatBufferBuilder& builder,
                                             const DataMovementConfig& config) {
  return schema::CreateDataMovementConfig(builder, processor_of(config.processor), config.noc,
                                          config.noc_mode);
}

Offset<schema::ComputeConfig> config_of(FlatBufferBuilder& builder, const ComputeConfig& config) {
  std::vector<uint8_t> fp32;  // the numbers of UnpackToDestMode are not the file's
  for (UnpackToDestMode mode : config.unpack_to_dest_mode) {
    fp32.push_back(mode == UnpackToDestMode::UnpackToDestFp32);
  }
  const auto unpack_to_dest_fp32 = builder.CreateVector(fp32);
  return schema::CreateComputeConfig(builder, static_cast<uint8_t>(config.math_fidelity),
                                     config.fp32_dest_acc_en, config.dst_full_sync_en,
                                     config.bfp8_pack_precise, config.math_approx_mode,
                                     unpack_to_dest_fp32);
}

Offset<schema::EthernetConfig> config_of(FlatBufferBuilder& builder, const EthernetConfig& config) {
  return schema::CreateEthernetConfig(builder, config.eth_mode, config.noc,
                                      processor_of(config.processor));
}

// A kernel's configuration is a union, which is two fields: its type and its table.
template <class Table>
schema::KernelConfig member_of(Offset<Table>) {
  return schema::KernelConfigTraits<Table>::enum_value;
}

schema::KernelConfig type_of(const Kernel::Config& config) {
  return std::visit(
      [](const auto& given) {
        return member_of(decltype(config_of(std::declval<FlatBufferBuilder&>(), given)){});
      },
      config);
}

struct ConfigTable {
  const Kernel::Config& config;
};
Offset<void> field(Encoder& encoder, const ConfigTable& table) {
  return std::visit([&](const auto& given) { return config_of(encoder.builder(), given).Union(); },
                    table.config);
}

struct Defines {
  const std::map<std::string, std::string>& defines;
};
TablesOffset<schema::Define> field(Encoder& encoder, const Defines& all) {
  FlatBufferBuilder& builder = encoder.builder();
  std::vector<Offset<schema::Define>> offsets;
  for (const auto& [key, value] : all.defines) {
    offsets.push_back(
        schema::CreateDefine(builder, builder.CreateString(key), builder.CreateString(value)));
  }
  return builder.CreateVector(offsets);
}

struct NamedArgs {
  std::map<std::string, uint32_t> args;
};
TablesOffset<schema::NamedArg> field(Encoder& encoder, const NamedArgs& all) {
  if (all.args.empty()) return 0;
  FlatBufferBuilder& builder = encoder.builder();
  std::vector<Offset<schema::NamedArg>> offsets;
  for (const auto& [name, value] : all.args) {
    offsets.push_back(schema::CreateNamedArg(builder, builder.CreateString(name), value));
  }
  return builder.CreateVector(offsets);
}

struct Paths {
  std::vector<std::string> paths;
};
VectorOffset<Offset<flatbuffers::String>> field(Encoder& encoder, const Paths& all) {
  if (all.paths.empty()) return 0;
  return encoder.builder().CreateVectorOfStrings(all.paths);
}

// These three are absent in the file where the program has set nothing, so that its commands are
// those of a version that did not know them.
NamedArgs named_args_of(const Kernel::Config& config) {
  return std::visit(
      [](const auto& given) {
        return NamedArgs{{given.named_compile_args.begin(), given.named_compile_args.end()}};
      },
      config);
}

std::optional<schema::KernelOptLevel> opt_level_of(const Kernel::Config& config) {
  return std::visit(
      [](const auto& given) -> std::optional<schema::KernelOptLevel> {
        if (given.opt_level == std::decay_t<decltype(given)>{}.opt_level) return std::nullopt;
        return static_cast<schema::KernelOptLevel>(given.opt_level);
      },
      config);
}

Paths include_paths_of(const Kernel::Config& config) {
  Paths all;
  std::visit(
      [&](const auto& given) {
        for (const auto& path : given.compiler_include_paths) all.paths.push_back(path.string());
      },
      config);
  return all;
}

}  // namespace

void create_kernel(const ProgramState& program, const Kernel& kernel) {
  const Kernel::Config config = kernel.config();
  record<schema::KernelCreate>(
      kernel, program, kernel.handle(),
      kernel.is_from_string() ? schema::KernelSourceKind::String : schema::KernelSourceKind::File,
      kernel.source_path(), source_digest_of(kernel), kernel.core_range_set(), type_of(config),
      ConfigTable{config}, kernel.compile_time_args(), Defines{kernel.defines()},
      named_args_of(config), opt_level_of(config), include_paths_of(config));
}

void create_circular_buffer(const ProgramState& program, CBHandle handle, const CoreRangeSet& cores,
                            const CircularBufferConfig& config) {
  const CircularBufferId id{handle};
  record<schema::CircularBufferCreate>(id, program, cores, config);
  if (config.globally_allocated_buffer_id() == 0 || config.address_offset() == 0) return;
  record<schema::UpdateDynamicCircularBufferAddressOffset>(
      id, BufferId{config.globally_allocated_buffer_id()}, config.address_offset());
}

// Says nothing about a program that the file does not know: the launch that follows says so.
void kernel_binary(const Kernel& kernel, const lightmetal::device::KernelObject& object) {
  record_if_known<schema::KernelBinary>(kernel, object.target, Embedded{object.bytes});
}

void kernel_binary_once(Kernel& kernel, const KernelObjectPtr& object) {
  for_each_capture([&] {
    if (kernel.state().needs_binary_record(object)) kernel_binary(kernel, *object);
  });
}

// ---- Runtime arguments of many cores: the file has each core's words before the cores ----

namespace {

Offset<schema::Words> words_of(Encoder& encoder, const std::vector<uint32_t>& words) {
  return schema::CreateWords(encoder.builder(), field(encoder, words));
}

Offset<schema::RuntimeArgs> words_of(Encoder& encoder, const LightMetalArgs& args) {
  return field(encoder, args);
}

template <class Args>
auto words_of_each(Encoder& encoder, const std::vector<Args>& args) {
  std::vector<decltype(words_of(encoder, args.front()))> offsets;
  offsets.reserve(args.size());
  for (const Args& of_core : args) offsets.push_back(words_of(encoder, of_core));
  return offsets;
}

}  // namespace

void set_runtime_args_per_core(const Kernel& kernel, const std::vector<CoreCoord>& cores,
                               const std::vector<std::vector<uint32_t>>& args) {
  record_encoded<schema::SetRuntimeArgsPerCore>([&](Encoder& encoder) {
    const auto words = words_of_each(encoder, args);
    const auto core_coords = field(encoder, cores);
    const auto all_args = encoder.builder().CreateVector(words);
    return schema::CreateSetRuntimeArgsPerCore(encoder.builder(), use(encoder, kernel), core_coords,
                                               all_args);
  });
}

void set_runtime_args_symbolic_per_core(const IDevice& device, const Kernel& kernel,
                                        const std::vector<CoreCoord>& cores,
                                        const std::vector<LightMetalArgs>& args) {
  record_encoded<schema::SetRuntimeArgsSymbolicPerCore>([&](Encoder& encoder) {
    const auto words = words_of_each(encoder, args);
    const auto core_coords = field(encoder, cores);
    const auto all_args = encoder.builder().CreateVector(words);
    return schema::CreateSetRuntimeArgsSymbolicPerCore(encoder.builder(), use(encoder, device),
                                                       use(encoder, kernel), core_coords, all_args);
  });
}

}  // namespace tt::tt_metal::capture_calls
