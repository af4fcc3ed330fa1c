#pragma once

#include <cstddef>
#include <string>
#include <tt-metalium/experimental/metal2_host_api/program_spec.hpp>
#include <unordered_map>
#include <vector>

namespace tt::tt_metal::experimental::metal2 {

NodeRangeSet nodes_of(const Nodes& nodes);

// A specification whose names are found, and the nodes that follow from them. Refers to the
// specification, which must live as long. Everything is numbered as it stands there.
class ResolvedSpec {
 public:
  // Throws when a name is there twice among its kind, or is used and not there.
  explicit ResolvedSpec(const ProgramSpec& spec);

  const ProgramSpec& spec;

  // REQUIRES: the specification uses the name.
  size_t number_of(const KernelSpecName& name) const { return kernels_.at(*name); }
  size_t number_of(const DFBSpecName& name) const { return dataflow_buffers_.at(*name); }
  size_t number_of(const SemaphoreSpecName& name) const { return semaphores_.at(*name); }
  size_t number_of(const ScratchpadSpecName& name) const { return scratchpads_.at(*name); }
  size_t number_of(const TensorParamName& name) const { return tensors_.at(*name); }

  // The nodes of each, which may be none.
  std::vector<NodeRangeSet> work_unit_nodes;
  std::vector<NodeRangeSet> kernel_nodes;
  std::vector<NodeRangeSet> dataflow_buffer_nodes;
  std::vector<NodeRangeSet> scratchpad_nodes;

 private:
  using Numbers = std::unordered_map<std::string, size_t>;

  template <typename Specs>
  Numbers numbers_of(const char* kind, const Specs& specs) const;
  template <typename Name>
  void check_there(const Numbers& numbers, const char* kind, const Name& name,
                   const std::string& user) const;
  void check_names() const;
  void place();

  Numbers kernels_, dataflow_buffers_, semaphores_, scratchpads_, tensors_;
};

}  // namespace tt::tt_metal::experimental::metal2
