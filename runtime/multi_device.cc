// Tensors of several devices.
#include <cstring>
#include <lightmetal/tensors.hpp>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "runtime/state.h"

namespace lightmetal::runtime {
namespace {

constexpr uint64_t kMostDevices = 65536;

// 0 for a mesh that is none, or of more.
uint64_t devices_of(const Distribution& distribution) {
  uint64_t devices = distribution.mesh_shape.empty() ? 0 : 1;
  for (const uint32_t along : distribution.mesh_shape) {
    if (along > kMostDevices) return 0;
    devices *= along;
    if (devices > kMostDevices) return 0;
  }
  return devices;
}

absl::Status check_dimension(const Distribution& distribution, const std::vector<uint32_t>& shape) {
  if (devices_of(distribution) == 0)
    return absl::InvalidArgumentError("a tensor of several devices needs a mesh that has some");
  const std::optional<uint32_t> divided = distribution.divided_dimension;
  if (!divided.has_value() || *divided < shape.size()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("dimension ", *divided, " cannot be divided: the tensor has ", shape.size()));
}

absl::Status check_parts(const std::vector<Tensor>& parts, const Distribution& distribution) {
  if (parts.size() != devices_of(distribution) || parts.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(parts.size(), " parts are given for ", devices_of(distribution), " devices"));
  }
  for (const Tensor& part : parts) {
    if (part.state() == nullptr)
      return absl::InvalidArgumentError("a part of a tensor of several devices is none");
  }
  LM_RETURN_IF_ERROR(check_dimension(distribution, parts[0].shape()));
  for (const Tensor& part : parts) {
    if (part.layout().is_on_device() || !part.state()->parts.empty())
      return absl::InvalidArgumentError("the parts must be host tensors of one device");
    if (part.state()->desc() == parts[0].state()->desc()) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("the parts differ: ", parts[0].state()->desc().text(), " and ",
                     part.state()->desc().text()));
  }
  return absl::OkStatus();
}

// Part `number` of `count` that divide the rows of `whole` along a dimension: in it they lie
// together for each element of the dimensions before.
absl::StatusOr<Tensor> cut_part(absl::Span<const std::byte> whole, const TensorDesc& part,
                                size_t dimension, uint64_t number, uint64_t count) {
  LM_ASSIGN_OR_RETURN(made, make_host_tensor(part.shape, part.type));
  uint64_t piece = element_size(part.type);
  for (size_t i = dimension; i < part.shape.size(); ++i) piece *= part.shape[i];
  const absl::Span<std::byte> to = made.state()->data;
  for (uint64_t at = 0; at < to.size(); at += piece)
    std::memcpy(to.data() + at, whole.data() + at * count + number * piece, piece);
  return made;
}

absl::StatusOr<std::vector<Tensor>> divided(absl::Span<const std::byte> data, TensorDesc part,
                                            const Distribution& distribution) {
  const uint64_t count = devices_of(distribution);
  const uint32_t dimension = *distribution.divided_dimension;
  if (part.shape[dimension] % count != 0) {
    return absl::InvalidArgumentError(absl::StrCat("dimension ", dimension, " of ", part.text(),
                                                   " cannot be divided among ", count, " devices"));
  }
  part.shape[dimension] /= static_cast<uint32_t>(count);
  std::vector<Tensor> parts;
  for (uint64_t i = 0; i < count; ++i) {
    LM_ASSIGN_OR_RETURN(made, cut_part(data, part, dimension, i, count));
    parts.push_back(std::move(made));
  }
  return parts;
}

}  // namespace

absl::StatusOr<Tensor> createMultiDeviceHostTensor(std::vector<Tensor> parts,
                                                   const Distribution& distribution) {
  LM_RETURN_IF_ERROR(check_parts(parts, distribution));
  TensorDesc whole = parts[0].state()->desc();
  if (distribution.divided_dimension.has_value()) {
    uint32_t& divided = whole.shape[*distribution.divided_dimension];
    if (divided > UINT32_MAX / parts.size())
      return absl::InvalidArgumentError("the parts are too large together");
    divided *= static_cast<uint32_t>(parts.size());
  }
  LM_RETURN_IF_ERROR(whole.check());
  auto state = std::make_shared<Tensor::State>(std::move(whole.shape), parts[0].layout());
  state->parts = std::move(parts);
  return Tensor(std::move(state));
}

absl::StatusOr<Tensor> createMultiDeviceHostTensor(absl::Span<const std::byte> data,
                                                   std::vector<uint32_t> shape, TensorType type,
                                                   const Distribution& distribution) {
  const TensorDesc whole{std::move(shape), type};
  LM_RETURN_IF_ERROR(whole.check());
  LM_RETURN_IF_ERROR(check_dimension(distribution, whole.shape));
  if (!distribution.divided_dimension.has_value()) {
    LM_ASSIGN_OR_RETURN(part, createOwnedHostTensor(data, whole.shape, type));
    return createMultiDeviceHostTensor(std::vector<Tensor>(devices_of(distribution), part),
                                       distribution);
  }
  if (data.size() != whole.size()) {
    return absl::InvalidArgumentError(absl::StrCat("the data of ", whole.text(), " have ",
                                                   data.size(), " bytes, expected ", whole.size()));
  }
  LM_ASSIGN_OR_RETURN(parts, divided(data, whole, distribution));
  return createMultiDeviceHostTensor(std::move(parts), distribution);
}

std::vector<Tensor> getDeviceTensors(const Tensor& tensor) { return parts_of({tensor}); }

absl::StatusOr<std::vector<Tensor>> toHostParts(const Tensor& tensor) {
  std::vector<Tensor> parts;
  for (const Tensor& part : getDeviceTensors(tensor)) {
    LM_ASSIGN_OR_RETURN(host, toHost(part));
    parts.push_back(std::move(host));
  }
  return parts;
}

std::vector<Tensor> parts_of(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> parts;
  for (const Tensor& tensor : tensors) {
    if (tensor.state() == nullptr || tensor.state()->parts.empty()) {
      parts.push_back(tensor);
    } else {
      const std::vector<Tensor>& own = tensor.state()->parts;
      parts.insert(parts.end(), own.begin(), own.end());
    }
  }
  return parts;
}

}  // namespace lightmetal::runtime
