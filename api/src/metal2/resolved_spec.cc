#include "api/src/metal2/resolved_spec.h"

#include <tt-metalium/assert.hpp>

#include "api/src/objects/program_state.h"

namespace tt::tt_metal::experimental::metal2 {

NodeRangeSet nodes_of(const Nodes& nodes) { return cores_of(nodes); }

ResolvedSpec::ResolvedSpec(const ProgramSpec& spec)
    : spec(spec),
      kernels_(numbers_of("kernels", spec.kernels)),
      dataflow_buffers_(numbers_of("dataflow buffers", spec.dataflow_buffers)),
      semaphores_(numbers_of("semaphores", spec.semaphores)),
      scratchpads_(numbers_of("scratchpads", spec.scratchpads)),
      tensors_(numbers_of("tensor parameters", spec.tensor_parameters)) {
  check_names();
  place();
}

template <typename Specs>
ResolvedSpec::Numbers ResolvedSpec::numbers_of(const char* kind, const Specs& specs) const {
  Numbers numbers;
  for (const auto& one : specs) {
    const bool is_new = numbers.emplace(*one.unique_id, numbers.size()).second;
    TT_FATAL(is_new, "Program \"{}\" has two {} \"{}\": their names must differ", spec.name, kind,
             one.unique_id);
  }
  return numbers;
}

template <typename Name>
void ResolvedSpec::check_there(const Numbers& numbers, const char* kind, const Name& name,
                               const std::string& user) const {
  TT_FATAL(numbers.contains(*name), "Program \"{}\": {} names {} \"{}\", which is not there",
           spec.name, user, kind, name);
}

void ResolvedSpec::check_names() const {
  for (const KernelSpec& kernel : spec.kernels) {
    const std::string user = "kernel \"" + *kernel.unique_id + "\"";
    for (const auto& binding : kernel.dfb_bindings)
      check_there(dataflow_buffers_, "dataflow buffer", binding.dfb_spec_name, user);
    for (const auto& binding : kernel.semaphore_bindings)
      check_there(semaphores_, "semaphore", binding.semaphore_spec_name, user);
    for (const auto& binding : kernel.scratchpad_bindings)
      check_there(scratchpads_, "scratchpad", binding.scratchpad_spec_name, user);
    for (const auto& binding : kernel.tensor_bindings)
      check_there(tensors_, "tensor parameter", binding.tensor_parameter_name, user);
  }
  for (const DataflowBufferSpec& buffer : spec.dataflow_buffers) {
    const std::string user = "dataflow buffer \"" + *buffer.unique_id + "\"";
    if (buffer.borrowed_from)
      check_there(tensors_, "tensor parameter", *buffer.borrowed_from, user);
    for (const DFBSpecName& alias : buffer.advanced_options.alias_with)
      check_there(dataflow_buffers_, "dataflow buffer", alias, user);
  }
  for (const WorkUnitSpec& unit : spec.work_units) {
    for (const KernelSpecName& kernel : unit.kernels)
      check_there(kernels_, "kernel", kernel, "work unit \"" + unit.name + "\"");
  }
}

void ResolvedSpec::place() {
  kernel_nodes.resize(spec.kernels.size());
  dataflow_buffer_nodes.resize(spec.dataflow_buffers.size());
  scratchpad_nodes.resize(spec.scratchpads.size());
  const auto add = [](NodeRangeSet& to, const NodeRangeSet& nodes) { to = to.merge(nodes); };
  for (const WorkUnitSpec& unit : spec.work_units) {
    const NodeRangeSet& nodes = work_unit_nodes.emplace_back(nodes_of(unit.target_nodes));
    for (const KernelSpecName& name : unit.kernels) {
      const size_t number = number_of(name);
      add(kernel_nodes[number], nodes);
      for (const auto& binding : spec.kernels[number].dfb_bindings)
        add(dataflow_buffer_nodes[number_of(binding.dfb_spec_name)], nodes);
      for (const auto& binding : spec.kernels[number].scratchpad_bindings)
        add(scratchpad_nodes[number_of(binding.scratchpad_spec_name)], nodes);
    }
  }
}

}  // namespace tt::tt_metal::experimental::metal2
