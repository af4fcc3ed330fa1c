// Tensors of TT-Metalium, to and fro.
#include <cstring>
#include <lightmetal/tensors.hpp>
#include <optional>
#include <span>
#include <tt-metalium/tensor/host_tensor.hpp>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "api/src/tensors/tensor_type.h"
#include "base/status.h"
#include "replay/without_exceptions.h"
#include "runtime/element_type.h"
#include "runtime/state.h"

namespace lightmetal::runtime {
namespace {

namespace tm = tt::tt_metal;

std::vector<uint32_t> extents_of(const tm::Shape& shape) { return {shape.cbegin(), shape.cend()}; }

// What the host API throws for a tensor that it does not take.
template <class Function>
absl::Status refused_as_argument(Function&& function) {
  const absl::Status status = replay::without_exceptions([&] {
    function();
    return absl::OkStatus();
  });
  return status.ok() ? status : absl::InvalidArgumentError(status.message());
}

}  // namespace

absl::StatusOr<Tensor> fromHostTensor(const tm::HostTensor& tensor) {
  LM_ASSIGN_OR_RETURN(type, known_type(tensor.dtype()));
  LM_ASSIGN_OR_RETURN(made, make_host_tensor(extents_of(tensor.logical_shape()), type));
  LM_RETURN_IF_ERROR(refused_as_argument([&] {
    with_type(type, [&]<class Element>(std::type_identity<Element>) {
      const std::vector<Element> elements = tensor.to_vector<Element>();
      std::memcpy(made.state()->data.data(), elements.data(), made.state()->data.size());
    });
  }));
  return made;
}

absl::StatusOr<tm::HostTensor> toHostTensor(const Tensor& tensor, const tm::TensorSpec& spec) {
  LM_ASSIGN_OR_RETURN(type, known_type(spec.data_type()));
  if (extents_of(spec.logical_shape()) != tensor.shape()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the specification has another shape than the tensor ", tensor.state()->desc().text()));
  }
  std::optional<tm::HostTensor> made;
  absl::Status status;
  with_type(type, [&]<class Element>(std::type_identity<Element>) {
    std::vector<Element> elements(tensor.state()->desc().elements());
    status = memcpy(elements.data(), tensor, type);
    if (!status.ok()) return;
    status = refused_as_argument(
        [&] { made = tm::HostTensor::from_vector<Element>(std::move(elements), spec); });
  });
  if (!status.ok()) return status;
  return *std::move(made);
}

absl::StatusOr<tm::HostTensor> toHostTensor(const Tensor& tensor) {
  std::optional<tm::TensorSpec> spec;
  LM_RETURN_IF_ERROR(refused_as_argument([&] {
    const std::vector<uint32_t>& shape = tensor.shape();
    spec.emplace(tm::Shape(tm::Shape::Container(shape.begin(), shape.end())),
                 tm::TensorLayout(tm::data_type_of(tensor.layout().type()),
                                  tm::PageConfig(tm::Layout::ROW_MAJOR), tm::MemoryConfig()));
  }));
  return toHostTensor(tensor, *spec);
}

}  // namespace lightmetal::runtime
