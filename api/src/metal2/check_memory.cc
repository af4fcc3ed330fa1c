// The rules of dataflow buffers and scratchpads, with the kernels that bind them.
#include <algorithm>
#include <limits>
#include <string>
#include <tt-metalium/assert.hpp>

#include "api/src/metal2/check_spec.h"

namespace tt::tt_metal::experimental::metal2 {
namespace {

constexpr uint32_t kMaxEntries = 65535;  // counted in 16 bits

// A kernel at one end of a dataflow buffer.
struct End {
  const KernelSpec* kernel;
  const DFBBinding* binding;
};

std::vector<End> ends_of(const ProgramSpec& spec, const DFBSpecName& buffer, DFBEndpointType type) {
  std::vector<End> ends;
  for (const KernelSpec& kernel : spec.kernels) {
    for (const DFBBinding& binding : kernel.dfb_bindings) {
      if (binding.dfb_spec_name == buffer && binding.endpoint_type == type)
        ends.push_back({&kernel, &binding});
    }
  }
  return ends;
}

std::vector<const KernelSpec*> kernels_of(const std::vector<End>& ends) {
  std::vector<const KernelSpec*> kernels;
  for (const End& end : ends) kernels.push_back(end.kernel);
  return kernels;
}

// The rules of one dataflow buffer. Refers to the specification.
class BufferCheck {
 public:
  BufferCheck(const ResolvedSpec& resolved, const DataflowBufferSpec& buffer)
      : resolved_(resolved),
        buffer_(buffer),
        where_("Program \"" + resolved.spec.name + "\", dataflow buffer \"" + *buffer.unique_id +
               "\"") {}

  void run() const {
    check_size();
    check_borrowed();
    check_ends();
    for (const DFBSpecName& alias : buffer_.advanced_options.alias_with) check_alias(alias);
  }

 private:
  const ProgramSpec& spec() const { return resolved_.spec; }
  const DataflowBufferSpec& buffer(const DFBSpecName& name) const {
    return spec().dataflow_buffers[resolved_.number_of(name)];
  }

  void check_size() const {
    check_sizes(where_, buffer_.entry_size, buffer_.num_entries);
    TT_FATAL(!buffer_.tile_format_metadata || buffer_.data_format_metadata,
             "{} has a tile_format_metadata and no data_format_metadata", where_);
  }

  void check_borrowed() const {
    if (!buffer_.borrowed_from) return;
    const TensorParameter& tensor =
        spec().tensor_parameters[resolved_.number_of(*buffer_.borrowed_from)];
    TT_FATAL(tensor.spec.memory_config().is_l1(),
             "{} borrows the memory of tensor parameter \"{}\", which lies in {} and not in L1",
             where_, tensor.unique_id, tensor.spec.memory_config());
  }

  void check_ends() const {
    const auto producers = ends_of(spec(), buffer_.unique_id, DFBEndpointType::PRODUCER);
    const auto consumers = ends_of(spec(), buffer_.unique_id, DFBEndpointType::CONSUMER);
    TT_FATAL(!producers.empty() || !consumers.empty(), "{} is bound by no kernel", where_);
    // Kernels that share a node differ in kind or processor.
    if (buffer_.advanced_options.allow_instance_multi_binding) return;
    check_alike(producers, "producers");
    check_alike(consumers, "consumers");
    const auto producing = kernels_of(producers), consuming = kernels_of(consumers);
    const bool has_both = std::ranges::any_of(producing, [&](const KernelSpec* kernel) {
      return std::ranges::find(consuming, kernel) != consuming.end();
    });
    TT_FATAL(!has_both || producing == consuming,
             "{} has a kernel that is both of its ends: then all of its kernels must be both",
             where_);
  }

  void check_alike(const std::vector<End>& ends, const char* side) const {
    for (const End& end : ends) {
      const End& first = ends.front();
      TT_FATAL(end.kernel->hw_config.index() == first.kernel->hw_config.index() &&
                   end.binding->access_pattern == first.binding->access_pattern &&
                   processor_of(*end.kernel) == processor_of(*first.kernel),
               "{} has {} \"{}\" and \"{}\", which differ in kind, processor or access pattern",
               where_, side, first.kernel->unique_id, end.kernel->unique_id);
    }
  }

  static std::optional<DataMovementProcessor> processor_of(const KernelSpec& kernel) {
    const auto* movement = std::get_if<DataMovementHardwareConfig>(&kernel.hw_config);
    if (movement == nullptr) return std::nullopt;
    return movement->config_1xx->processor;
  }

  void check_alias(const DFBSpecName& name) const {
    TT_FATAL(name != buffer_.unique_id, "{} names itself as its alias", where_);
    const DataflowBufferSpec& alias = buffer(name);
    Group<DFBSpecName> mine = buffer_.advanced_options.alias_with;
    Group<DFBSpecName> others = alias.advanced_options.alias_with;
    mine.push_back(buffer_.unique_id);
    others.push_back(name);
    std::ranges::sort(mine);
    std::ranges::sort(others);
    TT_FATAL(mine == others, "{} and its alias \"{}\" do not name the same aliases", where_, name);
    const auto total = [](const DataflowBufferSpec& one) {
      return uint64_t{one.entry_size} * one.num_entries;
    };
    TT_FATAL(total(buffer_) == total(alias), "{} has {} B and its alias \"{}\" {} B", where_,
             total(buffer_), name, total(alias));
    const auto& nodes = resolved_.dataflow_buffer_nodes;
    TT_FATAL(nodes[resolved_.number_of(name)] == nodes[resolved_.number_of(buffer_.unique_id)],
             "{} and its alias \"{}\" lie on different nodes", where_, name);
    TT_FATAL(alias.borrowed_from == buffer_.borrowed_from,
             "{} and its alias \"{}\" do not borrow from the same tensor parameter", where_, name);
  }

  const ResolvedSpec& resolved_;
  const DataflowBufferSpec& buffer_;
  const std::string where_;
};

void check_scratchpad(const ProgramSpec& spec, const ScratchpadSpec& pad) {
  TT_FATAL(pad.size_per_node > 0, "Program \"{}\", scratchpad \"{}\" has 0 B on each node",
           spec.name, pad.unique_id);
  TT_FATAL(!pad.tile_format_metadata || pad.data_format_metadata,
           "Program \"{}\", scratchpad \"{}\" has a tile_format_metadata and no "
           "data_format_metadata",
           spec.name, pad.unique_id);
  const bool is_bound = std::ranges::any_of(spec.kernels, [&](const KernelSpec& kernel) {
    return std::ranges::find(kernel.scratchpad_bindings, pad.unique_id,
                             &ScratchpadBinding::scratchpad_spec_name) !=
           kernel.scratchpad_bindings.end();
  });
  TT_FATAL(is_bound, "Program \"{}\", scratchpad \"{}\" is bound by no kernel", spec.name,
           pad.unique_id);
}

void check_tensor(const ProgramSpec& spec, const TensorParameter& tensor) {
  const bool is_bound = std::ranges::any_of(spec.kernels, [&](const KernelSpec& kernel) {
    return std::ranges::find(kernel.tensor_bindings, tensor.unique_id,
                             &TensorBinding::tensor_parameter_name) != kernel.tensor_bindings.end();
  });
  const bool is_borrowed = std::ranges::any_of(
      spec.dataflow_buffers,
      [&](const DataflowBufferSpec& buffer) { return buffer.borrowed_from == tensor.unique_id; });
  TT_FATAL(is_bound || is_borrowed,
           "Program \"{}\", tensor parameter \"{}\" is bound by no kernel, and no dataflow buffer "
           "borrows from it",
           spec.name, tensor.unique_id);
}

}  // namespace

void check_sizes(const std::string& where, uint32_t entry_size, uint32_t num_entries) {
  TT_FATAL(entry_size > 0, "{} has entries of 0 B: entry_size must be positive", where);
  TT_FATAL(num_entries > 0 && num_entries <= kMaxEntries, "{} has {} entries: 1 to {} are possible",
           where, num_entries, kMaxEntries);
  const uint64_t total = uint64_t{entry_size} * num_entries;
  TT_FATAL(total <= std::numeric_limits<uint32_t>::max(),
           "{} has {} entries of {} B: {} B are more than addresses of 32 bits reach", where,
           num_entries, entry_size, total);
}

void check_memory(const ResolvedSpec& resolved) {
  for (const DataflowBufferSpec& buffer : resolved.spec.dataflow_buffers)
    BufferCheck(resolved, buffer).run();
  for (const ScratchpadSpec& pad : resolved.spec.scratchpads) check_scratchpad(resolved.spec, pad);
  for (const TensorParameter& tensor : resolved.spec.tensor_parameters)
    check_tensor(resolved.spec, tensor);
}

}  // namespace tt::tt_metal::experimental::metal2
