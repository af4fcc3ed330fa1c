// Runs, with values in the caller's memory and on the device.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "base/status.h"
#include "base/tensor_desc.h"
#include "embedding/handles.h"
#include "host/bindings.h"
#include "runtime/state.h"

namespace lightmetal {
namespace {

using Operands = std::vector<lm_operand>;

// ---- What a caller gives ----

lm_operand operand_of(const lm_operand& operand) { return operand; }
lm_operand operand_of(const lm_input& input) {
  return {.name = input.name,
          .tensor = nullptr,
          .dtype = input.dtype,
          .shape = input.shape,
          .rank = input.rank,
          .data = const_cast<void*>(input.data),  // only read, as all inputs
          .size = input.size};
}
lm_operand operand_of(const lm_output& output) {
  return {.name = output.name,
          .tensor = nullptr,
          .dtype = output.dtype,
          .shape = output.shape,
          .rank = output.rank,
          .data = output.data,
          .size = output.size};
}

absl::Status check_memory(const lm_operand& given, absl::string_view which) {
  const auto type = static_cast<TensorType>(given.dtype);
  if (given.dtype > LM_BFLOAT16 || element_size(type) == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(which, ", ", given.name, ", has the dtype ", given.dtype, ", which is none"));
  }
  if (given.rank > TensorDesc::kMostDimensions) {
    return absl::InvalidArgumentError(absl::StrCat(which, ", ", given.name, ", has ", given.rank,
                                                   " dimensions, expected at most ",
                                                   TensorDesc::kMostDimensions));
  }
  if (given.shape == nullptr && given.rank != 0)
    return is_null(absl::StrCat("the shape of ", which, ", ", given.name, ","));
  return absl::OkStatus();
}

// What is given, one after the other; `kind` is "input" or "output".
template <class Given>
absl::StatusOr<Operands> operands_of(const Given* given, size_t count, absl::string_view kind) {
  Operands operands;
  if (count == 0) return operands;
  if (given == nullptr) return is_null(absl::StrCat(kind, "s"));
  if (count > host::kMostBindings) {
    return absl::InvalidArgumentError(
        absl::StrCat("there are ", count, " ", kind, "s, expected at most ", host::kMostBindings));
  }
  for (size_t i = 0; i < count; ++i) {
    const lm_operand operand = operand_of(given[i]);
    const std::string which = absl::StrCat(kind, " ", i);
    if (operand.name == nullptr) return is_null(absl::StrCat("the name of ", which));
    if (operand.tensor == nullptr) LM_RETURN_IF_ERROR(check_memory(operand, which));
    operands.push_back(operand);
  }
  return operands;
}

absl::StatusOr<std::string> entry_of(const lm_executable& executable, const char* entry) {
  if (entry != nullptr) return entry;
  const std::vector<std::string>& entries = executable.executable->entries();
  if (entries.size() == 1) return entries.front();
  return absl::InvalidArgumentError(absl::StrCat("entry is NULL, and there are ", entries.size(),
                                                 ": ", absl::StrJoin(entries, ", ")));
}

// ---- Runs ----

// As the executable takes it: InputValues or OutputValues.
template <class Values>
Values values_of(const lm_operand& operand) {
  if (operand.tensor == nullptr) {
    return {.name = operand.name,
            .type = static_cast<TensorType>(operand.dtype),
            .shape = {operand.shape, operand.rank},
            .data = {static_cast<std::byte*>(operand.data), operand.size}};
  }
  const runtime::Tensor::State& tensor = *operand.tensor->tensor.state();
  return {.name = operand.name,
          .type = tensor.layout.type(),
          .shape = tensor.shape,
          .data = {},
          .buffer = tensor.buffer.get()};
}
template <class Values>
std::vector<Values> all_values_of(const Operands& operands) {
  std::vector<Values> values;
  for (const lm_operand& operand : operands) values.push_back(values_of<Values>(operand));
  return values;
}

// A run on a device that others share, by its lane.
class SharedRun {
 public:
  explicit SharedRun(const lm_executable& executable)
      : executable_(executable), device_(*executable.device) {}

  absl::Status run(const std::string& entry, Operands inputs, const Operands& outputs) {
    LM_RETURN_IF_ERROR(check_outputs(outputs));
    LM_RETURN_IF_ERROR(convert(inputs));
    // What is wrong with values is found here: a tensor that work was given on and failed is lost.
    LM_RETURN_IF_ERROR(executable_.executable->check(entry, all_values_of<InputValues>(inputs),
                                                     all_values_of<OutputValues>(outputs)));
    LM_ASSIGN_OR_RETURN(given, in_order(inputs, &BoundTensor::is_input));
    LM_ASSIGN_OR_RETURN(wanted, in_order(outputs, &BoundTensor::is_output));
    return runtime::wait(runtime::submit(device_, executable_.executable, entry, std::move(given),
                                         std::move(wanted)));
  }

 private:
  using Belongs = bool (BoundTensor::*)() const;

  // A tensor of the executable, and its number among the inputs or the outputs.
  struct Place {
    const BoundTensor* tensor = nullptr;
    size_t number = 0;
  };

  // None for a name that there is not, which check() reports.
  std::optional<Place> place_of(absl::string_view name, Belongs belongs) const {
    size_t number = 0;
    for (const BoundTensor& tensor : executable_.executable->tensors()) {
      if (!(tensor.*belongs)()) continue;
      if (tensor.name == name) return Place{&tensor, number};
      ++number;
    }
    return std::nullopt;
  }

  // True for a tensor that has the elements of `place`, in another layout.
  static bool differs(const runtime::Tensor& tensor, const Place& place,
                      const runtime::Layout& layout) {
    const TensorDesc& own = place.tensor->tensor;
    return tensor.layout() != layout && tensor.layout().type() == own.type &&
           tensor.shape() == own.shape;
  }

  absl::Status check_device(const lm_operand& operand) const {
    if (operand.tensor->tensor.state()->device == device_.state()) return absl::OkStatus();
    return absl::FailedPreconditionError(
        absl::StrCat("the tensor for ", operand.name, " lies on another device"));
  }

  absl::Status check_outputs(const Operands& outputs) const {
    for (const lm_operand& output : outputs) {
      if (output.tensor == nullptr) continue;
      LM_RETURN_IF_ERROR(check_device(output));
      const auto place = place_of(output.name, &BoundTensor::is_output);
      if (!place.has_value()) continue;
      LM_ASSIGN_OR_RETURN(layout, runtime::getOutputLayout(*executable_.executable, place->number));
      if (!differs(output.tensor->tensor, *place, layout)) continue;
      return absl::FailedPreconditionError(
          absl::StrCat("the tensor for ", output.name,
                       " lies in another way than the executable's own: lm_make_tensor makes one"));
    }
    return absl::OkStatus();
  }

  // Puts tensors of the executable's own layouts in the place of others with the same elements.
  absl::Status convert(Operands& inputs) {
    converted_.reserve(inputs.size());
    for (lm_operand& input : inputs) {
      if (input.tensor == nullptr) continue;
      LM_RETURN_IF_ERROR(check_device(input));
      const auto place = place_of(input.name, &BoundTensor::is_input);
      if (!place.has_value()) continue;
      LM_ASSIGN_OR_RETURN(layout, runtime::getLayout(*executable_.executable, place->number));
      const runtime::Tensor& tensor = input.tensor->tensor;
      if (!differs(tensor, *place, layout)) continue;
      LM_ASSIGN_OR_RETURN(converted, runtime::toLayout(tensor, device_, layout));
      converted_.push_back({std::move(converted)});
      input.tensor = &converted_.back();
    }
    return absl::OkStatus();
  }

  absl::StatusOr<runtime::Tensor> tensor_of(const lm_operand& operand) const {
    if (operand.tensor != nullptr) return operand.tensor->tensor;
    return runtime::createBorrowedHostTensor({static_cast<std::byte*>(operand.data), operand.size},
                                             {operand.shape, operand.shape + operand.rank},
                                             static_cast<TensorType>(operand.dtype));
  }

  // As submit() takes them: by the numbers of the executable's. REQUIRES: they are checked.
  absl::StatusOr<std::vector<runtime::Tensor>> in_order(const Operands& operands,
                                                        Belongs belongs) const {
    std::vector<runtime::Tensor> tensors(
        std::ranges::count_if(executable_.executable->tensors(), belongs));
    for (const lm_operand& operand : operands) {
      LM_ASSIGN_OR_RETURN(tensor, tensor_of(operand));
      tensors[place_of(operand.name, belongs)->number] = std::move(tensor);
    }
    return tensors;
  }

  const lm_executable& executable_;
  const runtime::Device device_;
  std::vector<lm_device_tensor> converted_;
};

absl::Status run(const lm_executable& executable, const char* entry, Operands inputs,
                 const Operands& outputs) {
  LM_ASSIGN_OR_RETURN(name, entry_of(executable, entry));
  if (executable.device.has_value())
    return SharedRun(executable).run(name, std::move(inputs), outputs);
  for (const Operands* operands : {&std::as_const(inputs), &outputs}) {
    for (const lm_operand& operand : *operands) {
      if (operand.tensor == nullptr) continue;
      return absl::FailedPreconditionError(absl::StrCat(
          "the tensor for ", operand.name,
          " lies on another device: the executable was loaded without lm_load_options::device"));
    }
  }
  return executable.executable->run(name, all_values_of<InputValues>(inputs),
                                    all_values_of<OutputValues>(outputs));
}

// The same for each form in which values are given.
template <class Input, class Output>
absl::Status run_given(const lm_executable* executable, const char* entry, const Input* inputs,
                       size_t input_count, const Output* outputs, size_t output_count) {
  if (executable == nullptr) return is_null("executable");
  LM_ASSIGN_OR_RETURN(given, operands_of(inputs, input_count, "input"));
  LM_ASSIGN_OR_RETURN(wanted, operands_of(outputs, output_count, "output"));
  return run(*executable, entry, std::move(given), wanted);
}

}  // namespace
}  // namespace lightmetal

lm_status lm_run(lm_executable* executable, const char* entry, const lm_input* inputs,
                 size_t input_count, const lm_output* outputs, size_t output_count,
                 lm_error** error) {
  return lightmetal::call(error, [&] {
    return lightmetal::run_given(executable, entry, inputs, input_count, outputs, output_count);
  });
}

lm_status lm_run_operands(lm_executable* executable, const char* entry, const lm_operand* inputs,
                          size_t input_count, const lm_operand* outputs, size_t output_count,
                          lm_error** error) {
  return lightmetal::call(error, [&] {
    return lightmetal::run_given(executable, entry, inputs, input_count, outputs, output_count);
  });
}
