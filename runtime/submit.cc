// Executables run beside the caller, on tensors.
#include <lightmetal/runtime.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "runtime/state.h"

namespace lightmetal::runtime {
namespace {

using Tensors = std::vector<const BoundTensor*>;

template <class Predicate>
Tensors tensors_of(const Executable& executable, Predicate belongs) {
  Tensors found;
  for (const BoundTensor& tensor : executable.tensors()) {
    if (belongs(tensor)) found.push_back(&tensor);
  }
  return found;
}
Tensors inputs_of(const Executable& executable) {
  return tensors_of(executable, [](const BoundTensor& tensor) { return tensor.is_input(); });
}
Tensors outputs_of(const Executable& executable) {
  return tensors_of(executable, [](const BoundTensor& tensor) { return tensor.is_output(); });
}

absl::StatusOr<const BoundTensor*> nth(const Tensors& tensors, size_t number, const char* what) {
  if (number < tensors.size()) return tensors[number];
  return absl::NotFoundError(
      absl::StrCat("there is no ", what, " ", number, ": the executable has ", tensors.size()));
}

Layout layout_of(const Executable& executable, const BoundTensor& tensor) {
  const tt::tt_metal::Buffer& buffer = executable.buffer(tensor);
  BufferShape shape{.size = buffer.size(),
                    .page_size = buffer.page_size(),
                    .memory = buffer.buffer_type(),
                    .spread = buffer.buffer_layout()};
  if (tt::tt_metal::is_sharded(shape.spread)) shape.shards = buffer.shard_spec();
  return Layout(std::make_shared<const Layout::State>(
      Layout::State{tensor.tensor.type, tensor.tensor.order, std::move(shape)}));
}

absl::Status check_count(size_t given, size_t most, const char* what) {
  if (given <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(given, " ", what, " are given, and the executable has ", most));
}

// A tensor on the device must be what it stands for, but for its place.
absl::Status check_tensor(const Executable& executable, const BoundTensor& bound,
                          const Tensor::State& given, const Device::State& device) {
  if (given.buffer == nullptr) return absl::OkStatus();
  if (given.device.get() != &device) {
    return absl::FailedPreconditionError(
        absl::StrCat("the tensor for ", bound.name, " lies on another device"));
  }
  if (given.layout == layout_of(executable, bound)) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "the tensor for ", bound.name, ", ", given.desc().text(), ", has another layout than ",
      bound.tensor.text(), " of the executable: toLayout", " converts it"));
}

// One run, from the lane.
class Run {
 public:
  Run(const Device& device, std::shared_ptr<Executable> executable, std::string_view entry,
      std::vector<Tensor> inputs, std::vector<Tensor> outputs)
      : device_(device),
        executable_(std::move(executable)),
        entry_(entry),
        inputs_(std::move(inputs)),
        outputs_(std::move(outputs)) {}

  absl::Status execute() const {
    const Tensors of_inputs = inputs_of(*executable_), of_outputs = outputs_of(*executable_);
    LM_RETURN_IF_ERROR(check_count(inputs_.size(), of_inputs.size(), "inputs"));
    LM_RETURN_IF_ERROR(check_count(outputs_.size(), of_outputs.size(), "outputs"));
    std::vector<InputValues> inputs;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (inputs_[i].state() == nullptr) continue;
      const Tensor::State& tensor = *inputs_[i].state();
      LM_RETURN_IF_ERROR(check_tensor(*executable_, *of_inputs[i], tensor, *device_.state()));
      inputs.push_back({.name = of_inputs[i]->name,
                        .type = tensor.layout.type(),
                        .shape = tensor.shape,
                        .data = tensor.data,
                        .buffer = tensor.buffer.get()});
    }
    std::vector<OutputValues> outputs;
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (outputs_[i].state() == nullptr) continue;
      const Tensor::State& tensor = *outputs_[i].state();
      LM_RETURN_IF_ERROR(check_tensor(*executable_, *of_outputs[i], tensor, *device_.state()));
      outputs.push_back({.name = of_outputs[i]->name,
                         .type = tensor.layout.type(),
                         .shape = tensor.shape,
                         .data = tensor.data,
                         .buffer = tensor.buffer.get()});
    }
    return executable_->run(entry_, inputs, outputs);
  }

 private:
  const Device device_;
  const std::shared_ptr<Executable> executable_;
  const std::string entry_;
  const std::vector<Tensor> inputs_;
  const std::vector<Tensor> outputs_;
};

}  // namespace

absl::StatusOr<Layout> getLayout(const Executable& executable, size_t input) {
  LM_ASSIGN_OR_RETURN(bound, nth(inputs_of(executable), input, "input"));
  return layout_of(executable, *bound);
}

absl::StatusOr<Layout> getOutputLayout(const Executable& executable, size_t output) {
  LM_ASSIGN_OR_RETURN(bound, nth(outputs_of(executable), output, "output"));
  return layout_of(executable, *bound);
}

absl::StatusOr<Tensor> allocateInputTensor(const Device& device, const Executable& executable,
                                           size_t input) {
  LM_ASSIGN_OR_RETURN(bound, nth(inputs_of(executable), input, "input"));
  return make_device_tensor(device.state(), layout_of(executable, *bound), bound->tensor.shape);
}

absl::StatusOr<Tensor> allocateOutputTensor(const Device& device, const Executable& executable,
                                            size_t output) {
  LM_ASSIGN_OR_RETURN(bound, nth(outputs_of(executable), output, "output"));
  return make_device_tensor(device.state(), layout_of(executable, *bound), bound->tensor.shape);
}

Event submit(const Device& device, const std::shared_ptr<Executable>& executable,
             std::string_view entry, std::vector<Tensor> inputs, std::vector<Tensor> outputs,
             std::vector<Event> dependencies) {
  const Run run(device, executable, entry, inputs, outputs);
  const auto is_none = [](const Tensor& tensor) { return tensor.state() == nullptr; };
  std::erase_if(inputs, is_none);
  std::erase_if(outputs, is_none);
  return push_work(device.state()->compute, std::move(inputs), std::move(outputs),
                   std::move(dependencies), [run] { return run.execute(); });
}

absl::StatusOr<std::vector<Tensor>> submit(const Device& device,
                                           const std::shared_ptr<Executable>& executable,
                                           std::string_view entry, std::vector<Tensor> inputs) {
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < outputs_of(*executable).size(); ++i) {
    LM_ASSIGN_OR_RETURN(output, allocateOutputTensor(device, *executable, i));
    outputs.push_back(std::move(output));
  }
  submit(device, executable, entry, std::move(inputs), outputs);
  return outputs;
}

}  // namespace lightmetal::runtime
