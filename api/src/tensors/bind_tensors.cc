// Names of buffers and tensors on meshes of one device.
#include <memory>
#include <string_view>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <tt-metalium/mesh_buffer.hpp>
#include <tt-metalium/tensor/mesh_tensor.hpp>

#include "api/src/capture/bindings.h"
#include "base/tensor_desc.h"
#include "host/bindings.h"

namespace tt::tt_metal {
namespace {

using lightmetal::TensorDesc;
using lightmetal::TensorOrder;
using lightmetal::TensorType;
using lightmetal::host::BindingRole;

Buffer& only_part_of(std::string_view name, const distributed::MeshBuffer& buffer) {
  TT_FATAL(buffer.mesh_shape().mesh_size() == 1,
           "Cannot bind a mesh buffer on {} devices to {}: a name stands for a buffer on one",
           buffer.mesh_shape().mesh_size(), name);
  return *buffer.get_reference_buffer();
}

void bind(BindingRole role, std::string_view name,
          const std::shared_ptr<distributed::MeshBuffer>& buffer, const TensorDesc& tensor) {
  TT_FATAL(buffer != nullptr, "The mesh buffer is a null pointer");
  bind_tensor({.name = std::string(name), .role = role, .tensor = tensor},
              only_part_of(name, *buffer));
}

TensorType type_of(std::string_view name, DataType type) {
  switch (type) {
    case DataType::BFLOAT16:
      return TensorType::BFloat16;
    case DataType::FLOAT32:
      return TensorType::Float32;
    case DataType::UINT32:
      return TensorType::UInt32;
    case DataType::INT32:
      return TensorType::Int32;
    case DataType::UINT16:
      return TensorType::UInt16;
    case DataType::UINT8:
      return TensorType::UInt8;
    default:
      TT_THROW("Cannot bind a tensor of data type {} to {}: its elements have no size of their own",
               type, name);
  }
}

void bind(BindingRole role, std::string_view name, const MeshTensor& tensor) {
  TensorDesc desc;
  const Shape& shape = tensor.logical_shape();
  for (size_t i = 0; i < shape.rank(); ++i) desc.shape.push_back(shape[static_cast<int>(i)]);
  desc.type = type_of(name, tensor.dtype());
  desc.order = tensor.layout() == Layout::TILE ? TensorOrder::Tile : TensorOrder::RowMajor;
  bind_tensor({.name = std::string(name), .role = role, .tensor = desc},
              only_part_of(name, tensor.mesh_buffer()));
}

}  // namespace

void LightMetalBindInput(std::string_view name,
                         const std::shared_ptr<distributed::MeshBuffer>& buffer,
                         const TensorDesc& tensor) {
  bind(BindingRole::kInput, name, buffer, tensor);
}
void LightMetalBindOutput(std::string_view name,
                          const std::shared_ptr<distributed::MeshBuffer>& buffer,
                          const TensorDesc& tensor) {
  bind(BindingRole::kOutput, name, buffer, tensor);
}
void LightMetalBindInOut(std::string_view name,
                         const std::shared_ptr<distributed::MeshBuffer>& buffer,
                         const TensorDesc& tensor) {
  bind(BindingRole::kInOut, name, buffer, tensor);
}
void LightMetalBindConstant(std::string_view name,
                            const std::shared_ptr<distributed::MeshBuffer>& buffer,
                            const TensorDesc& tensor) {
  bind(BindingRole::kConstant, name, buffer, tensor);
}

void LightMetalAllowMove(const std::shared_ptr<distributed::MeshBuffer>& buffer) {
  TT_FATAL(buffer != nullptr, "The mesh buffer is a null pointer");
  allow_move_recorded(only_part_of("a movable place", *buffer));
}
void LightMetalAllowMove(const MeshTensor& tensor) {
  allow_move_recorded(only_part_of("a movable place", tensor.mesh_buffer()));
}

void LightMetalBindInput(std::string_view name, const MeshTensor& tensor) {
  bind(BindingRole::kInput, name, tensor);
}
void LightMetalBindOutput(std::string_view name, const MeshTensor& tensor) {
  bind(BindingRole::kOutput, name, tensor);
}
void LightMetalBindInOut(std::string_view name, const MeshTensor& tensor) {
  bind(BindingRole::kInOut, name, tensor);
}
void LightMetalBindConstant(std::string_view name, const MeshTensor& tensor) {
  bind(BindingRole::kConstant, name, tensor);
}

}  // namespace tt::tt_metal
