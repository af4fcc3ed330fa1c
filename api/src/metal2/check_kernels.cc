// The rules of each kernel by itself.
#include <algorithm>
#include <set>
#include <string>
#include <tt-metalium/assert.hpp>

#include "api/src/metal2/check_spec.h"

namespace tt::tt_metal::experimental::metal2 {
namespace {

bool is_identifier(const std::string& name) {
  const auto is_letter = [](char c) { return c == '_' || ('a' <= (c | 32) && (c | 32) <= 'z'); };
  return !name.empty() && is_letter(name.front()) &&
         std::ranges::all_of(name, [&](char c) { return is_letter(c) || ('0' <= c && c <= '9'); });
}

bool is_32_bit(tt::DataFormat format) {
  return format == tt::DataFormat::Float32 || format == tt::DataFormat::Int32 ||
         format == tt::DataFormat::UInt32 || format == tt::DataFormat::RawUInt32;
}

// The rules of one kernel. Refers to the specification.
class KernelCheck {
 public:
  KernelCheck(const ResolvedSpec& resolved, const KernelSpec& kernel)
      : resolved_(resolved),
        kernel_(kernel),
        where_("Program \"" + resolved.spec.name + "\", kernel \"" + *kernel.unique_id + "\"") {}

  void run() const {
    check_source();
    check_processor();
    check_buffers();
    check_resources();
    check_tensors();
    check_arguments();
    if (kernel_.is_compute_kernel()) check_compute();
  }

 private:
  void check_source() const {
    const auto* path = std::get_if<std::filesystem::path>(&kernel_.source);
    const bool is_empty = path != nullptr
                              ? path->empty()
                              : std::get<KernelSpec::SourceCode>(kernel_.source).code.empty();
    TT_FATAL(!is_empty, "{} has no source: a path or a text is needed", where_);
    TT_FATAL(kernel_.num_threads == 1, "{} asks for {} threads: a kernel here is one", where_,
             kernel_.num_threads);
  }

  void check_processor() const {
    const auto* movement = std::get_if<DataMovementHardwareConfig>(&kernel_.hw_config);
    if (movement == nullptr) return;
    TT_FATAL(movement->config_1xx.has_value(),
             "{} moves data and has no config_1xx, which says its processor and network", where_);
    const DataMovementProcessor processor = movement->config_1xx->processor;
    TT_FATAL(
        processor == DataMovementProcessor::RISCV_0 || processor == DataMovementProcessor::RISCV_1,
        "{} asks for data movement processor {}: there are RISCV_0 and RISCV_1", where_,
        static_cast<int>(processor));
  }

  void check_name(const std::string& name, const char* kind) const {
    TT_FATAL(is_identifier(name) && name.size() <= MAX_ACCESSOR_NAME_LENGTH,
             "{} knows a {} as \"{}\": that is no C++ identifier of at most {} characters", where_,
             kind, name, MAX_ACCESSOR_NAME_LENGTH);
  }
  // Notes a name among those of its kind.
  void check_new_name(std::set<std::string>& taken, const std::string& name,
                      const char* kind) const {
    check_name(name, kind);
    TT_FATAL(taken.insert(name).second, "{} knows two {}s as \"{}\"", where_, kind, name);
  }

  void check_buffers() const {
    std::set<std::pair<std::string, DFBEndpointType>> ends;
    std::map<std::string, std::string> buffer_of_name;
    for (const DFBBinding& binding : kernel_.dfb_bindings) {
      check_name(binding.accessor_name, "dataflow buffer");
      check_access(binding);
      const bool producer = binding.endpoint_type == DFBEndpointType::PRODUCER;
      TT_FATAL(ends.emplace(*binding.dfb_spec_name, binding.endpoint_type).second,
               "{} binds dataflow buffer \"{}\" as {} twice", where_, binding.dfb_spec_name,
               producer ? "producer" : "consumer");
      const auto known = buffer_of_name.emplace(binding.accessor_name, *binding.dfb_spec_name);
      TT_FATAL(known.first->second == *binding.dfb_spec_name,
               "{} knows dataflow buffers \"{}\" and \"{}\" both as \"{}\"", where_,
               known.first->second, binding.dfb_spec_name, binding.accessor_name);
    }
  }

  void check_access(const DFBBinding& binding) const {
    TT_FATAL(binding.access_pattern != DFBAccessPattern::BLOCKED,
             "{} binds dataflow buffer \"{}\" as BLOCKED, which is not supported", where_,
             binding.dfb_spec_name);
    TT_FATAL(binding.endpoint_type != DFBEndpointType::PRODUCER ||
                 binding.access_pattern == DFBAccessPattern::STRIDED,
             "{} produces for dataflow buffer \"{}\" not as STRIDED: producers are", where_,
             binding.dfb_spec_name);
    const bool both_ends = std::ranges::any_of(kernel_.dfb_bindings, [&](const DFBBinding& other) {
      return other.dfb_spec_name == binding.dfb_spec_name &&
             other.endpoint_type == DFBEndpointType::PRODUCER;
    });
    TT_FATAL(!kernel_.is_compute_kernel() || !both_ends ||
                 binding.access_pattern == DFBAccessPattern::STRIDED,
             "{} computes and is both ends of dataflow buffer \"{}\": its consumer must be STRIDED",
             where_, binding.dfb_spec_name);
  }

  void check_resources() const {
    TT_FATAL(!kernel_.is_compute_kernel() || kernel_.semaphore_bindings.empty(),
             "{} computes and binds {} semaphores: only data movement kernels have any", where_,
             kernel_.semaphore_bindings.size());
    std::set<std::string> names, semaphores;
    for (const SemaphoreBinding& binding : kernel_.semaphore_bindings) {
      check_new_name(names, binding.accessor_name, "semaphore");
      TT_FATAL(semaphores.insert(*binding.semaphore_spec_name).second,
               "{} binds semaphore \"{}\" twice", where_, binding.semaphore_spec_name);
    }
    std::set<std::string> pad_names, pads;
    for (const ScratchpadBinding& binding : kernel_.scratchpad_bindings) {
      check_new_name(pad_names, binding.accessor_name, "scratchpad");
      TT_FATAL(pads.insert(*binding.scratchpad_spec_name).second,
               "{} binds scratchpad \"{}\" twice", where_, binding.scratchpad_spec_name);
    }
  }

  void check_tensors() const {
    std::set<std::string> names;
    for (const TensorBinding& binding : kernel_.tensor_bindings)
      check_new_name(names, binding.accessor_name, "tensor");
    const std::set<std::string> tensors = names;
    for (const auto& sequence : kernel_.advanced_options.tensor_binding_sequences) {
      check_new_name(names, sequence.sequence_name, "tensor");
      std::set<std::string> members;
      for (const std::string& member : sequence.members) {
        TT_FATAL(tensors.contains(member),
                 "{} has \"{}\" in its sequence \"{}\" of tensors: it binds no tensor of this name",
                 where_, member, sequence.sequence_name);
        TT_FATAL(members.insert(member).second,
                 "{} has \"{}\" twice in its sequence \"{}\" of tensors", where_, member,
                 sequence.sequence_name);
      }
    }
  }

  void check_arguments() const {
    std::set<std::string> names;
    const auto add = [&](const std::string& name) {
      TT_FATAL(is_identifier(name), "{} has an argument \"{}\": that is no C++ identifier", where_,
               name);
      TT_FATAL(names.insert(name).second, "{} has two arguments \"{}\"", where_, name);
    };
    for (const auto& [name, value] : kernel_.compile_time_args) add(name);
    std::ranges::for_each(kernel_.runtime_arg_schema.runtime_arg_names, add);
    std::ranges::for_each(kernel_.runtime_arg_schema.common_runtime_arg_names, add);
  }

  void check_compute() const {
    const auto& config = std::get<ComputeHardwareConfig>(kernel_.hw_config);
    for (const auto& [buffer, mode] : config.unpack_modes) {
      TT_FATAL(std::ranges::find(kernel_.dfb_bindings, buffer, &DFBBinding::dfb_spec_name) !=
                   kernel_.dfb_bindings.end(),
               "{} has an unpack mode for dataflow buffer \"{}\", which it does not bind", where_,
               buffer);
    }
    for (const DFBBinding& binding : kernel_.dfb_bindings) check_format(config, binding);
  }

  void check_format(const ComputeHardwareConfig& config, const DFBBinding& binding) const {
    const DataflowBufferSpec& buffer =
        resolved_.spec.dataflow_buffers[resolved_.number_of(binding.dfb_spec_name)];
    TT_FATAL(buffer.data_format_metadata.has_value(),
             "{} computes with dataflow buffer \"{}\", which needs a data_format_metadata then",
             where_, buffer.unique_id);
    if (binding.endpoint_type != DFBEndpointType::CONSUMER) return;
    const UnpackMode* mode = config.unpack_modes.get(binding.dfb_spec_name);
    TT_FATAL(config.enable_32_bit_dest || mode == nullptr || *mode != UnpackMode::UnpackToDest ||
                 !is_32_bit(*buffer.data_format_metadata),
             "{} unpacks 32-bit dataflow buffer \"{}\" to DST, which needs enable_32_bit_dest",
             where_, buffer.unique_id);
    TT_FATAL(
        !config.enable_32_bit_dest || mode != nullptr ||
            *buffer.data_format_metadata != tt::DataFormat::Float32,
        "{} consumes Float32 dataflow buffer \"{}\" with enable_32_bit_dest, and has no unpack "
        "mode for it",
        where_, buffer.unique_id);
  }

  const ResolvedSpec& resolved_;
  const KernelSpec& kernel_;
  const std::string where_;
};

}  // namespace

void check_kernels(const ResolvedSpec& resolved) {
  for (const KernelSpec& kernel : resolved.spec.kernels) KernelCheck(resolved, kernel).run();
}

}  // namespace tt::tt_metal::experimental::metal2
