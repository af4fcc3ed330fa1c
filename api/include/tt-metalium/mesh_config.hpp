#pragma once

#include <optional>
#include <tt-metalium/core_types.hpp>
#include <tt-metalium/mesh_coord.hpp>
#include <vector>

namespace tt::tt_metal::distributed {

// Which devices a mesh is made of, out of those that can be opened: SystemMesh says where they lie.
// A plain value; MeshDevice::create() checks it.
class MeshDeviceConfig {
 public:
  // Without a shape it is the shape of all devices. `offset` is where the mesh begins among them.
  // `physical_device_ids`, in row-major order, name the devices instead of an offset; without a
  // shape they are one row.
  MeshDeviceConfig(const std::optional<MeshShape>& mesh_shape,
                   const std::optional<MeshCoordinate>& offset = std::nullopt,
                   const std::vector<chip_id_t>& physical_device_ids = {})
      : mesh_shape_(mesh_shape), offset_(offset), physical_device_ids_(physical_device_ids) {}

  const std::optional<MeshShape>& mesh_shape() const { return mesh_shape_; }
  const std::optional<MeshCoordinate>& offset() const { return offset_; }
  const std::vector<chip_id_t>& physical_device_ids() const { return physical_device_ids_; }

 private:
  std::optional<MeshShape> mesh_shape_;
  std::optional<MeshCoordinate> offset_;
  std::vector<chip_id_t> physical_device_ids_;
};

}  // namespace tt::tt_metal::distributed
