// Executables run beside the caller, on tensors.
#include <algorithm>
#include <lightmetal/runtime.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "runtime/check_values.h"
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
                    .sharding = buffer.given_sharding()};
  shape.row_stride = BufferForm(tensor.tensor, shape.size, shape.page_size).row_stride();
  return Layout(std::make_shared<const Layout::State>(
      Layout::State{tensor.tensor.type, tensor.tensor.order, std::move(shape)}));
}

// A file may use several devices, of which a Device is the first.
absl::Status check_place(const Executable& executable, const BoundTensor& tensor,
                         const Device& device) {
  if (executable.buffer(tensor).device() == device.handle()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      tensor.name, " of the executable lies on another device, where no tensor can be made"));
}

absl::Status check_count(size_t given, size_t most, const char* what) {
  if (given <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(given, " ", what, " are given, and the executable has ", most));
}

// InvalidArgument for values that the tensor cannot have, FailedPrecondition for a tensor on the
// device that lies in another way than what it stands for. Looks at nothing that changes.
absl::Status check_tensor(const Executable& executable, const BoundTensor& bound,
                          const Tensor& given, const Device& device) {
  LM_RETURN_IF_ERROR(check_values(bound.name, bound.tensor, given.layout().type(), given.shape()));
  if (!given.layout().is_on_device()) return absl::OkStatus();
  if (given.state()->device != device.state()) {
    return absl::FailedPreconditionError(
        absl::StrCat("the tensor for ", bound.name, " lies on another device"));
  }
  LM_RETURN_IF_ERROR(check_place(executable, bound, device));
  if (given.layout() == layout_of(executable, bound)) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("the tensor for ", bound.name, ", ", given.state()->desc().text(),
                   ", has another layout than ", bound.tensor.text(),
                   " of the executable: toLayout", " converts it"));
}

absl::Status check_tensors(const Executable& executable, const Tensors& bound,
                           const std::vector<Tensor>& given, const Device& device,
                           const char* what) {
  LM_RETURN_IF_ERROR(check_count(given.size(), bound.size(), what));
  for (size_t i = 0; i < given.size(); ++i) {
    if (given[i].state() != nullptr)
      LM_RETURN_IF_ERROR(check_tensor(executable, *bound[i], given[i], device));
  }
  return absl::OkStatus();
}

absl::Status check_executable(const Executable* executable, std::string_view entry,
                              const Device& device) {
  if (executable == nullptr) return absl::InvalidArgumentError("the executable is a null pointer");
  const auto is_here = [&](const BoundTensor& tensor) {
    return executable->buffer(tensor).device() == device.handle();
  };
  const std::vector<BoundTensor>& tensors = executable->tensors();
  if (!tensors.empty() && std::ranges::none_of(tensors, is_here))
    return absl::FailedPreconditionError("the executable is loaded on another device");
  if (std::ranges::find(executable->entries(), entry) != executable->entries().end())
    return absl::OkStatus();
  return absl::NotFoundError(absl::StrCat("the executable has no entry \"", std::string(entry),
                                          "\": it has ",
                                          absl::StrJoin(executable->entries(), ", ")));
}

// One run, from the lane.
class Run {
 public:
  Run(std::shared_ptr<Executable> executable, std::string_view entry, std::vector<Tensor> inputs,
      std::vector<Tensor> outputs)
      : executable_(std::move(executable)),
        entry_(entry),
        inputs_(std::move(inputs)),
        outputs_(std::move(outputs)) {}

  // Before it is given to a lane: whatever can be said of it before anything else is done.
  absl::Status check(const Device& device) const {
    LM_RETURN_IF_ERROR(check_executable(executable_.get(), entry_, device));
    LM_RETURN_IF_ERROR(
        check_tensors(*executable_, inputs_of(*executable_), inputs_, device, "inputs"));
    return check_tensors(*executable_, outputs_of(*executable_), outputs_, device, "outputs");
  }

  absl::Status execute() const {
    return executable_->run(entry_, values_of<InputValues>(inputs_of(*executable_), inputs_),
                            values_of<OutputValues>(outputs_of(*executable_), outputs_));
  }

 private:
  template <class Values>
  static std::vector<Values> values_of(const Tensors& bound, const std::vector<Tensor>& given) {
    std::vector<Values> values;
    for (size_t i = 0; i < given.size(); ++i) {
      if (given[i].state() == nullptr) continue;
      const Tensor::State& tensor = *given[i].state();
      values.push_back({.name = bound[i]->name,
                        .type = tensor.layout.type(),
                        .shape = tensor.shape,
                        .data = tensor.data,
                        .buffer = tensor.buffer.get()});
    }
    return values;
  }

  const std::shared_ptr<Executable> executable_;
  const std::string entry_;
  const std::vector<Tensor> inputs_;
  const std::vector<Tensor> outputs_;
};

absl::StatusOr<Tensor> allocate_like(const Device& device, const Executable& executable,
                                     const BoundTensor& bound) {
  LM_RETURN_IF_ERROR(check_place(executable, bound, device));
  return make_device_tensor(device.state(), layout_of(executable, bound), bound.tensor.shape);
}

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
  return allocate_like(device, executable, *bound);
}

absl::StatusOr<Tensor> allocateOutputTensor(const Device& device, const Executable& executable,
                                            size_t output) {
  LM_ASSIGN_OR_RETURN(bound, nth(outputs_of(executable), output, "output"));
  return allocate_like(device, executable, *bound);
}

Event submit(const Device& device, const std::shared_ptr<Executable>& executable,
             std::string_view entry, std::vector<Tensor> inputs, std::vector<Tensor> outputs,
             std::vector<Event> dependencies) {
  inputs = parts_of(inputs);
  outputs = parts_of(outputs);
  const Run run(executable, entry, inputs, outputs);
  const auto is_none = [](const Tensor& tensor) { return tensor.state() == nullptr; };
  std::erase_if(inputs, is_none);
  std::erase_if(outputs, is_none);
  if (absl::Status status = run.check(device); !status.ok())
    return refuse(outputs, std::move(status));
  return push_work(device.state()->compute, std::move(inputs), std::move(outputs),
                   std::move(dependencies), [run] { return run.execute(); });
}

absl::StatusOr<std::vector<Tensor>> submit(const Device& device,
                                           const std::shared_ptr<Executable>& executable,
                                           std::string_view entry, std::vector<Tensor> inputs) {
  LM_RETURN_IF_ERROR(check_executable(executable.get(), entry, device));
  std::vector<Tensor> outputs;
  for (const BoundTensor* bound : outputs_of(*executable)) {
    LM_ASSIGN_OR_RETURN(output, allocate_like(device, *executable, *bound));
    outputs.push_back(std::move(output));
  }
  const Event done = submit(device, executable, entry, std::move(inputs), outputs);
  // What is wrong with the call is the caller's; what becomes of the run is that of its outputs.
  if (query(done)) LM_RETURN_IF_ERROR(wait(done));
  return outputs;
}

}  // namespace lightmetal::runtime
