// Programs from specifications. A program is made by the functions that a program of the classic
// API calls, each of which records itself: a capture does not tell the two apart.
#include <tt-metalium/circular_buffer_constants.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/experimental/metal2_host_api/program.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>
#include <tt-metalium/tt_align.hpp>
#include <tt-metalium/tt_metal.hpp>
#include <utility>

#include "api/src/memory/lock_step.h"
#include "api/src/metal2/check_spec.h"
#include "api/src/metal2/current_form.h"
#include "api/src/metal2/entry_function.h"
#include "api/src/metal2/kernel_names.h"
#include "api/src/metal2/made_program.h"
#include "api/src/metal2/resolved_spec.h"
#include "api/src/objects/device_access.h"
#include "api/src/objects/kernel_source.h"
#include "api/src/programs/program_objects.h"
#include "api/src/support/errors.h"
#include "capture/capture.h"
#include "host/kernel.h"

namespace tt::tt_metal::experimental {
namespace metal2 {
namespace {

using tensor_accessor::ArgConfig;

constexpr uint32_t kScratchpadAlignment = 16;  // bytes

std::optional<OperandFormat> format_of(const std::optional<tt::DataFormat>& format,
                                       const std::optional<Tile>& given_tile) {
  if (!format) return std::nullopt;
  const Tile tile = given_tile.value_or(Tile());
  const auto [face_height, face_width] = tile.get_face_shape();
  const auto byte = [](uint32_t number) { return static_cast<uint8_t>(number); };
  return OperandFormat{.data_format = static_cast<uint8_t>(*format),
                       .face_height = byte(face_height),
                       .face_width = byte(face_width),
                       .faces_in_a_column = byte(tile.get_height() / face_height),
                       .faces_in_a_row = byte(tile.get_width() / face_width)};
}

// Makes the program of one specification for some devices of a mesh, at least one.
class Maker {
 public:
  Maker(distributed::MeshDevice& mesh, std::vector<IDevice*> devices, const ResolvedSpec& resolved)
      : mesh_(mesh),
        resolved_(resolved),
        spec_(resolved.spec),
        made_(std::make_unique<MadeProgram>(spec_.name, std::move(devices))) {}

  Program make() {
    add_semaphores();
    add_tensors();
    add_buffers();
    add_scratchpads();
    for (size_t i = 0; i < spec_.kernels.size(); ++i) add_kernel(i);
    MadeProgram& made = *made_;
    program_.state().specify(std::move(made_));
    // Devices of one mesh are of one kind, so kernels are compiled for the first.
    detail::CompileProgram(made.devices.front(), program_);
    give_scratchpads(made);
    return std::move(program_);
  }

 private:
  // ---- What kernels share ----

  void add_semaphores() {
    for (const SemaphoreSpec& semaphore : spec_.semaphores) {
      semaphore_ids_.push_back(CreateSemaphore(program_, nodes_of(semaphore.target_nodes),
                                               semaphore.advanced_options.initial_value));
    }
  }

  void add_tensors() {
    for (const TensorParameter& parameter : spec_.tensor_parameters) {
      MadeTensor tensor{.declared = parameter, .at_run_time = parts_at_run_time(parameter)};
      const TensorAccessorArgs args = accessor_args(tensor);
      tensor.constant_words = args.get_compile_time_args();
      tensor.num_runtime_words = args.get_common_runtime_args().size();
      made_->number_of_tensor.emplace(*parameter.unique_id, made_->tensors.size());
      made_->tensors.push_back(std::move(tensor));
    }
    made_->needs_arguments = !spec_.tensor_parameters.empty();
  }

  static ArgConfig parts_at_run_time(const TensorParameter& parameter) {
    if (!parameter.relaxations.dynamic_tensor_shape) return ArgConfig::None;
    if (parameter.spec.memory_config().is_sharded()) return ArgConfig::RuntimeTensorShape;
    const bool page_size_varies =
        parameter.spec.layout() == Layout::ROW_MAJOR && !parameter.relaxations.match_page_size;
    return page_size_varies ? ArgConfig::RuntimePageSize : ArgConfig::None;
  }

  // The words of a tensor that is not there yet: those of a view of no memory in particular.
  TensorAccessorArgs accessor_args(const MadeTensor& tensor) const {
    // Within a call, so that the view, which the program never had, is not recorded.
    LIGHT_METAL_TRACE_FUNCTION_ENTRY("MakeProgramFromSpec");
    const TensorSpec& spec = tensor.declared.spec;
    const auto view = distributed::MeshBuffer::create(
        distributed::ReplicatedBufferConfig{.size = spec.compute_packed_buffer_size_bytes()},
        {.page_size = spec.compute_page_size_bytes(),
         .buffer_type = spec.memory_config().buffer_type(),
         .sharding_args = spec.compute_buffer_sharding_args()},
        &mesh_, /*address=*/0);
    return TensorAccessorArgs(*view, tensor.at_run_time);
  }

  void add_buffers() {
    for (size_t i = 0; i < spec_.dataflow_buffers.size(); ++i) {
      const DataflowBufferSpec& buffer = spec_.dataflow_buffers[i];
      MadeBuffer made{.name = buffer.unique_id,
                      .index = free_index(i),
                      .entry_size = buffer.entry_size,
                      .num_entries = buffer.num_entries};
      if (buffer.borrowed_from) made.tensor = resolved_.number_of(*buffer.borrowed_from);
      made_->number_of_buffer.emplace(*buffer.unique_id, i);
      made_->buffers.push_back(std::move(made));
    }
    for (size_t i = 0; i < spec_.dataflow_buffers.size(); ++i) {
      if (!is_behind_alias(i)) add_circular_buffer(i);
    }
  }

  // The lowest index that is free on all nodes of the dataflow buffer.
  uint8_t free_index(size_t buffer) {
    const NodeRangeSet& nodes = resolved_.dataflow_buffer_nodes[buffer];
    for (size_t index = 0; index < taken_.size(); ++index) {
      if (taken_[index].intersects(nodes)) continue;
      taken_[index] = taken_[index].merge(nodes);
      return static_cast<uint8_t>(index);
    }
    TT_THROW(
        "Program \"{}\", dataflow buffer \"{}\" has nodes {}: each of the {} indices is taken on "
        "one of them",
        spec_.name, spec_.dataflow_buffers[buffer].unique_id, nodes, taken_.size());
  }

  // The numbers of the buffer and its aliases.
  std::vector<size_t> group_of(size_t buffer) const {
    std::vector<size_t> group = {buffer};
    for (const DFBSpecName& alias : spec_.dataflow_buffers[buffer].advanced_options.alias_with)
      group.push_back(resolved_.number_of(alias));
    return group;
  }
  bool is_behind_alias(size_t buffer) const { return std::ranges::min(group_of(buffer)) != buffer; }

  void add_circular_buffer(size_t buffer) {
    const std::vector<size_t> group = group_of(buffer);
    CircularBufferConfig config(static_cast<uint32_t>(made_->buffers[buffer].total_size()));
    for (const size_t member : group) {
      const DataflowBufferSpec& spec = spec_.dataflow_buffers[member];
      const auto index = config.index(made_->buffers[member].index);
      index.set_data_format(spec.data_format_metadata.value_or(tt::DataFormat::Invalid));
      index.set_page_size(spec.entry_size);
      if (spec.tile_format_metadata) index.set_tile_dims(*spec.tile_format_metadata);
    }
    const CBHandle handle =
        CreateCircularBuffer(program_, resolved_.dataflow_buffer_nodes[buffer], config);
    for (const size_t member : group) made_->buffers[member].circular_buffer = handle;
  }

  // A page on each node of each device, all at one address.
  void add_scratchpads() {
    for (size_t i = 0; i < spec_.scratchpads.size(); ++i) {
      const NodeRangeSet& nodes = resolved_.scratchpad_nodes[i];
      const uint32_t size = align(spec_.scratchpads[i].size_per_node, kScratchpadAlignment);
      const uint32_t count = nodes.num_cores();
      const ShardSpecBuffer shards(nodes, {1, 1}, ShardOrientation::ROW_MAJOR, {1, 1}, {count, 1});
      made_->scratchpads.push_back(create_in_lock_step(
          made_->devices, {.size = DeviceAddr{size} * count,
                           .page_size = size,
                           .buffer_type = BufferType::L1,
                           .sharding = {shards, TensorMemoryLayout::HEIGHT_SHARDED}}));
    }
  }

  // ---- Kernels ----

  void add_kernel(size_t number) {
    const KernelSpec& spec = spec_.kernels[number];
    KernelNames names;
    MadeKernel made{.name = spec.unique_id};
    name_resources(spec, names);
    lay_out_words(spec, number, made, names);
    const std::vector<uint32_t> words = lay_out_common(spec, made, names);
    check_number_of_arguments(made);
    made.handle = create(spec, number, names, words);
    made_->number_of_kernel.emplace(*spec.unique_id, number);
    made_->kernels.push_back(std::move(made));
  }

  // A program with more could never be given its arguments.
  static void check_number_of_arguments(const MadeKernel& kernel) {
    size_t most = 0;
    for (const auto& of_node : kernel.words) most = std::max(most, of_node.size());
    throw_if_error(lightmetal::host::check_common_arguments(*kernel.name, kernel.common.size(),
                                                            /*before=*/0, most));
  }

  void name_resources(const KernelSpec& spec, KernelNames& names) const {
    for (const DFBBinding& binding : spec.dfb_bindings) {
      const auto same = [&](const auto& known) { return known.name == binding.accessor_name; };
      if (std::ranges::any_of(names.dataflow_buffers, same)) continue;
      const size_t number = resolved_.number_of(binding.dfb_spec_name);
      const DataflowBufferSpec& buffer = spec_.dataflow_buffers[number];
      names.dataflow_buffers.push_back(
          {.name = binding.accessor_name,
           .index = made_->buffers[number].index,
           .format = metal2::format_of(buffer.data_format_metadata, buffer.tile_format_metadata)});
    }
    for (const SemaphoreBinding& binding : spec.semaphore_bindings) {
      names.semaphores.push_back(
          {.name = binding.accessor_name,
           .id = semaphore_ids_[resolved_.number_of(binding.semaphore_spec_name)]});
    }
    for (const auto& sequence : spec.advanced_options.tensor_binding_sequences)
      names.tensor_sequences.push_back({sequence.sequence_name, sequence.members});
    for (const auto& [name, value] : spec.compile_time_args)
      names.constants.push_back({name, value});
  }

  static MadeKernel::Words words_of(const Group<std::string>& names) {
    MadeKernel::Words words;
    for (const std::string& name : names) words.emplace(name, static_cast<uint32_t>(words.size()));
    return words;
  }

  void lay_out_words(const KernelSpec& spec, size_t number, MadeKernel& made, KernelNames& names) {
    names.runtime_args = spec.runtime_arg_schema.runtime_arg_names;
    made.runtime_args = words_of(names.runtime_args);
    made.nodes = corerange_to_cores(resolved_.kernel_nodes[number]);
    for (const NodeCoord& node : made.nodes) {
      uint32_t varargs = spec.advanced_options.num_runtime_varargs;
      for (const auto& [nodes, count] : spec.advanced_options.num_runtime_varargs_per_node) {
        if (nodes_of(nodes).contains(node)) varargs = count;
      }
      made.number_of_node.emplace(node, made.num_varargs.size());
      made.num_varargs.push_back(varargs);
      made.words.emplace_back(made.num_words(made.num_varargs.size() - 1));
      made_->needs_arguments |= !made.words.back().empty();
    }
  }

  // Returns the compile-time words.
  std::vector<uint32_t> lay_out_common(const KernelSpec& spec, MadeKernel& made,
                                       KernelNames& names) {
    names.common_args = spec.runtime_arg_schema.common_runtime_arg_names;
    made.common_args = words_of(names.common_args);
    std::vector<uint32_t> constants;
    auto next = static_cast<uint32_t>(names.common_args.size());
    for (const TensorBinding& binding : spec.tensor_bindings) {
      const size_t number = resolved_.number_of(binding.tensor_parameter_name);
      const MadeTensor& tensor = made_->tensors[number];
      names.tensors.push_back({.name = binding.accessor_name,
                               .first_compile_time_word = static_cast<uint32_t>(constants.size()),
                               .address_word = next,
                               .format = format_of(tensor.declared.spec)});
      made.tensors.push_back({.tensor = number, .first_word = next});
      constants.insert(constants.end(), tensor.constant_words.begin(), tensor.constant_words.end());
      next += 1 + static_cast<uint32_t>(tensor.num_runtime_words);
    }
    made.common.resize(next, uint32_t{0});
    for (const ScratchpadBinding& binding : spec.scratchpad_bindings)
      add_scratchpad_word(binding, made, names);
    names.first_common_vararg = made.first_common_vararg =
        static_cast<uint32_t>(made.common.size());
    made.num_common_varargs = spec.advanced_options.num_common_runtime_varargs;
    made.common.resize(made.common.size() + made.num_common_varargs, uint32_t{0});
    made_->needs_arguments |= !names.common_args.empty() || made.num_common_varargs != 0;
    const auto& varargs = spec.advanced_options.compile_time_varargs;
    names.first_compile_time_vararg = static_cast<uint32_t>(constants.size());
    names.num_compile_time_varargs = static_cast<uint32_t>(varargs.size());
    constants.insert(constants.end(), varargs.begin(), varargs.end());
    return constants;
  }

  static OperandFormat format_of(const TensorSpec& spec) {
    return *metal2::format_of(datatype_to_dataformat_converter(spec.data_type()), spec.tile());
  }

  void add_scratchpad_word(const ScratchpadBinding& binding, MadeKernel& made,
                           KernelNames& names) const {
    const size_t number = resolved_.number_of(binding.scratchpad_spec_name);
    const ScratchpadSpec& pad = spec_.scratchpads[number];
    names.scratchpads.push_back(
        {.name = binding.accessor_name,
         .address_word = static_cast<uint32_t>(made.common.size()),
         .size = pad.size_per_node,
         .format = metal2::format_of(pad.data_format_metadata, pad.tile_format_metadata)});
    made.common.emplace_back(LightMetalAddress{made_->scratchpads[number].front().get()});
  }

  std::string where_of(const KernelSpec& spec) const {
    return "Program \"" + spec_.name + "\", kernel \"" + *spec.unique_id + "\"";
  }

  void check_entry(const KernelSpec& spec, const EntryFunction& entry) const {
    for (const std::string& name : entry.constants) {
      TT_FATAL(
          spec.compile_time_args.contains(name),
          "{} has the entry function {} with a template parameter \"{}\", which is none of its "
          "compile_time_args",
          where_of(spec), entry.name, name);
    }
    const auto& [unique, common] = spec.runtime_arg_schema;
    for (const std::string& name : entry.arguments) {
      TT_FATAL(
          std::ranges::find(unique, name) != unique.end() ||
              std::ranges::find(common, name) != common.end() ||
              spec.compile_time_args.contains(name),
          "{} has the entry function {} with a parameter \"{}\", which is none of its arguments",
          where_of(spec), entry.name, name);
    }
  }

  KernelHandle create(const KernelSpec& spec, size_t number, const KernelNames& names,
                      const std::vector<uint32_t>& words) {
    const auto* path = std::get_if<std::filesystem::path>(&spec.source);
    KernelText source =
        path != nullptr ? read_kernel_file(path->string())
                        : KernelText{.path = {},
                                     .directory = {},
                                     .text = std::get<KernelSpec::SourceCode>(spec.source).code};
    if (const auto entry = find_entry_function(source.text, where_of(spec))) {
      check_entry(spec, *entry);
      source.text += kernel_main_for(*entry);
    }
    const std::string declarations = "#line 1 \"kernel_bindings_generated.h\"\n" +
                                     bindings_header(names) +
                                     "#line 1 \"kernel_args_generated.h\"\n" + args_header(names);
    const Kernel::Config config =
        spec.is_compute_kernel()
            ? with_settings(compute_config(std::get<ComputeHardwareConfig>(spec.hw_config)), spec,
                            words)
            : with_settings(movement_config(std::get<DataMovementHardwareConfig>(spec.hw_config)),
                            spec, words);
    return create_kernel_after(program_, declarations, std::move(source),
                               /*from_string=*/path == nullptr, resolved_.kernel_nodes[number],
                               config);
  }

  static DataMovementConfig movement_config(const DataMovementHardwareConfig& config) {
    const auto& of_1xx = config.config_1xx.value();
    return {.processor = of_1xx.processor, .noc = of_1xx.noc, .noc_mode = of_1xx.noc_mode};
  }

  ComputeConfig compute_config(const ComputeHardwareConfig& config) const {
    ComputeConfig made{
        .math_fidelity = config.fpu_math_fidelity,
        .fp32_dest_acc_en = config.enable_32_bit_dest,
        .dst_full_sync_en = !config.double_buffer_dest,
        .bfp8_pack_precise =
            config.config_1xx && config.config_1xx->bfp_pack_precision_mode == Precision::Precise,
        .math_approx_mode = config.sfpu_precision_mode == Precision::Approximate};
    for (const auto& [name, mode] : config.unpack_modes) {
      if (mode != UnpackMode::UnpackToDest) continue;
      made.unpack_to_dest_mode.resize(NUM_CIRCULAR_BUFFERS, UnpackToDestMode::Default);
      made.unpack_to_dest_mode[made_->buffers[resolved_.number_of(name)].index] =
          UnpackToDestMode::UnpackToDestFp32;
    }
    return made;
  }

  // What both kinds of kernels have. Constants have their names in the file, too.
  template <typename Config>
  static Kernel::Config with_settings(Config config, const KernelSpec& spec,
                                      const std::vector<uint32_t>& words) {
    config.compile_args = words;
    config.defines = {spec.compiler_options.defines.begin(), spec.compiler_options.defines.end()};
    config.named_compile_args = {spec.compile_time_args.begin(), spec.compile_time_args.end()};
    config.opt_level = spec.compiler_options.opt_level;
    config.compiler_include_paths = spec.compiler_options.include_paths;
    return config;
  }

  // Kernels that are given nothing else have their scratchpads from the beginning.
  void give_scratchpads(MadeProgram& made) {
    const ClassicChanges::Allowed own(*program_.state().classic_changes);
    for (const MadeKernel& kernel : made.kernels) {
      const bool is_all = kernel.common_args.empty() && kernel.tensors.empty() &&
                          kernel.num_common_varargs == 0 && !kernel.common.empty();
      if (is_all) made.apply_scratchpads(program_, kernel);
    }
  }

  distributed::MeshDevice& mesh_;
  const ResolvedSpec& resolved_;
  const ProgramSpec& spec_;
  std::unique_ptr<MadeProgram> made_;
  Program program_;
  std::vector<uint32_t> semaphore_ids_;
  std::array<NodeRangeSet, NUM_CIRCULAR_BUFFERS> taken_;
};

}  // namespace
}  // namespace metal2

namespace {

Program make_for(distributed::MeshDevice& mesh_device, std::vector<IDevice*> devices,
                 const ProgramSpec& spec, bool skip_validation) {
  const ProgramSpec current = metal2::in_current_form(spec);
  const metal2::ResolvedSpec resolved(current);
  if (!skip_validation) {
    metal2::check_spec(
        resolved, {.grid = mesh_device.compute_with_storage_grid_size(),
                   .dataflow_buffers = profile_of_device(*devices.front()).num_circular_buffers,
                   .semaphores = NUM_SEMAPHORES});
  }
  return metal2::Maker(mesh_device, std::move(devices), resolved).make();
}

std::vector<IDevice*> devices_in(const distributed::MeshDevice& mesh,
                                 const distributed::MeshCoordinateRange& range) {
  std::vector<IDevice*> devices;
  for (const distributed::MeshCoordinate& coord : range) devices.push_back(mesh.get_device(coord));
  return devices;
}

}  // namespace

Program MakeProgramFromSpec(distributed::MeshDevice& mesh_device, const ProgramSpec& spec,
                            bool skip_validation) {
  return make_for(mesh_device, mesh_device.get_devices(), spec, skip_validation);
}

distributed::MeshWorkload MakeMeshWorkloadFromSpecs(
    distributed::MeshDevice& mesh_device,
    const std::unordered_map<distributed::MeshCoordinateRange, ProgramSpec>& program_specs,
    bool skip_validation) {
  // In the order of the ranges, so that a capture is always the same.
  std::vector<std::pair<size_t, const distributed::MeshCoordinateRange*>> ranges;
  for (const auto& [range, spec] : program_specs)
    ranges.emplace_back(range.start_coord().to_linear_index(mesh_device.shape()), &range);
  std::ranges::sort(ranges, {}, [](const auto& range) { return range.first; });
  distributed::MeshWorkload workload;
  for (const auto& [first, range] : ranges) {
    workload.add_program(*range, make_for(mesh_device, devices_in(mesh_device, *range),
                                          program_specs.at(*range), skip_validation));
  }
  return workload;
}

distributed::MeshWorkload MakeMeshWorkloadFromSpec(distributed::MeshDevice& mesh_device,
                                                   const ProgramSpec& program_spec,
                                                   bool skip_validation) {
  distributed::MeshWorkload workload;
  workload.add_program(distributed::MeshCoordinateRange(mesh_device.shape()),
                       MakeProgramFromSpec(mesh_device, program_spec, skip_validation));
  return workload;
}

}  // namespace tt::tt_metal::experimental
