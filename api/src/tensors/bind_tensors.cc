// Names of buffers and tensors on meshes.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <tt-metalium/mesh_buffer.hpp>
#include <tt-metalium/tensor/mesh_tensor.hpp>

#include "api/src/capture/bindings.h"
#include "api/src/tensors/tensor_type.h"
#include "base/tensor_desc.h"
#include "host/bindings.h"

namespace tt::tt_metal {
namespace {

using lightmetal::TensorDesc;
using lightmetal::TensorOrder;
using lightmetal::TensorType;
using lightmetal::host::BindingRole;

// Calls visit(the buffer of a device) for each device of the mesh in turn.
template <class Visit>
void for_each_part(const distributed::MeshBuffer& buffer, Visit visit) {
  for (const auto& place : distributed::MeshCoordinateRange(buffer.mesh_shape()))
    visit(*buffer.get_device_buffer(place));
}

// The part on the only device has the name; those on several have it with a number behind it.
void bind_parts(BindingRole role, std::string_view name, const distributed::MeshBuffer& buffer,
                const TensorDesc& tensor) {
  const bool is_alone = buffer.mesh_shape().mesh_size() == 1;
  size_t number = 0;
  for_each_part(buffer, [&](Buffer& part) {
    const std::string of_part =
        is_alone ? std::string(name) : fmt::format("{}[{}]", name, number++);
    bind_tensor({.name = of_part, .role = role, .tensor = tensor}, part);
  });
}

void bind(BindingRole role, std::string_view name,
          const std::shared_ptr<distributed::MeshBuffer>& buffer, const TensorDesc& tensor) {
  TT_FATAL(buffer != nullptr, "The mesh buffer is a null pointer");
  bind_parts(role, name, *buffer, tensor);
}

TensorType type_of(std::string_view name, DataType type) {
  const std::optional<TensorType> known = tensor_type_of(type);
  TT_FATAL(known.has_value(),
           "Cannot bind a tensor of data type {} to {}: its elements have no size of their own",
           type, name);
  return *known;
}

void bind(BindingRole role, std::string_view name, const MeshTensor& tensor) {
  TensorDesc desc;
  const Shape& shape = tensor.logical_shape();
  for (size_t i = 0; i < shape.rank(); ++i) desc.shape.push_back(shape[static_cast<int>(i)]);
  desc.type = type_of(name, tensor.dtype());
  desc.order = tensor.layout() == Layout::TILE ? TensorOrder::Tile : TensorOrder::RowMajor;
  bind_parts(role, name, tensor.mesh_buffer(), desc);
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
  for_each_part(*buffer, allow_move_recorded);
}
void LightMetalAllowMove(const MeshTensor& tensor) {
  for_each_part(tensor.mesh_buffer(), allow_move_recorded);
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
