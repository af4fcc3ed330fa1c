#pragma once

#include <cstddef>
#include <cstdint>
#include <lightmetal/runtime.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/tensor_desc.h"

namespace tt::tt_metal {
class HostTensor;
class TensorSpec;
}  // namespace tt::tt_metal

// Tensors in files, those of TT-Metalium, and those of several devices. As
// <lightmetal/runtime.hpp>.
namespace lightmetal::runtime {

// ---- Files ----

// Waits for the values of a tensor and writes them to a .npy file, whatever its name is: it is
// there when it is whole, and replaces what was there. A bfloat16, which NumPy does not have, is
// two bytes ("|V2"), as `ml_dtypes` writes it.
absl::Status dumpTensor(const Tensor& tensor, const std::string& path);
// The host tensor of a .npy file, which may be hostile. Also InvalidArgument for elements and
// shapes that no tensor has.
absl::StatusOr<Tensor> loadTensor(const std::string& path);

// ---- Tensors of TT-Metalium ----

// A host tensor with the values of that one, which is of one device: InvalidArgument for others.
// Unimplemented for data types that TensorType does not have.
absl::StatusOr<Tensor> fromHostTensor(const tt::tt_metal::HostTensor& tensor);
// The values of a tensor, once they are there, laid out as `spec` says, or row by row. They are
// converted to its data type. InvalidArgument for another shape, Unimplemented for data types that
// TensorType does not have.
absl::StatusOr<tt::tt_metal::HostTensor> toHostTensor(const Tensor& tensor,
                                                      const tt::tt_metal::TensorSpec& spec);
absl::StatusOr<tt::tt_metal::HostTensor> toHostTensor(const Tensor& tensor);

// ---- Several devices ----

// How the values of a tensor are spread over devices: in equal parts along a dimension, or all of
// them on each.
struct Distribution {
  std::optional<uint32_t> divided_dimension = {};  // none: replicated
  std::vector<uint32_t> mesh_shape = {};           // devices along each dimension of a mesh
};

// A tensor on the host that has a part for each device of a mesh, row by row of the mesh: host
// tensors of one shape and type, or the parts that `data` is cut into (copies; replicated parts
// are one). Its shape is that of the whole. InvalidArgument for what makes no such tensor, and for
// a dimension that is not divided evenly.
//
// submit() takes it for as many tensors as it has parts, which is what a mesh buffer that was bound
// to a name is: name[0], name[1] and on. Other work on it is InvalidArgument, and is given on its
// parts. deallocate() ends its parts.
absl::StatusOr<Tensor> createMultiDeviceHostTensor(std::vector<Tensor> parts,
                                                   const Distribution& distribution);
absl::StatusOr<Tensor> createMultiDeviceHostTensor(absl::Span<const std::byte> data,
                                                   std::vector<uint32_t> shape, TensorType type,
                                                   const Distribution& distribution);
// The part for each device; of any other tensor itself.
std::vector<Tensor> getDeviceTensors(const Tensor& tensor);
// A host tensor for each part: waits.
absl::StatusOr<std::vector<Tensor>> toHostParts(const Tensor& tensor);

}  // namespace lightmetal::runtime
