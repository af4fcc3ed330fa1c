#pragma once

#include <optional>
#include <tt-metalium/fabric_node_id.hpp>
#include <tt-metalium/mesh_coord.hpp>
#include <vector>

namespace tt::tt_metal::distributed {

// All devices that can be opened, as one mesh: the grid with as many columns as rows, or as few
// more as possible (8 devices are 2x4, 7 are 1x7), device ids in row-major order. It follows
// GetNumAvailableDevices() at the first use. Thread-safe. Errors are std::runtime_error.
class SystemMesh {
 public:
  static const SystemMesh& instance();
  SystemMesh(const SystemMesh&) = delete;
  SystemMesh& operator=(const SystemMesh&) = delete;

  const MeshShape& shape() const { return shape_; }
  const MeshShape& local_shape() const { return shape_; }  // there is one host

  // The device at a place. Throws when there is none.
  int get_physical_device_id(const MeshCoordinate& coord) const;

  struct MappedDevices {
    std::vector<int> device_ids;                               // in row-major order of the shape
    std::vector<tt::tt_fabric::FabricNodeId> fabric_node_ids;  // in the same order
    MeshShape mesh_shape;
  };
  // The devices of a mesh of that shape, which lies at `offset`; without a shape, all of them.
  // Without an offset, a shape that does not lie in the system mesh as it is (1x8, 4x2) takes the
  // first devices in row-major order: nothing here depends on which devices are neighbours. Throws
  // when there are not enough devices, or none at a place.
  MappedDevices get_mapped_devices(
      const std::optional<MeshShape>& shape,
      const std::optional<MeshCoordinate>& offset = std::nullopt) const;

 private:
  explicit SystemMesh(const MeshShape& shape) : shape_(shape) {}

  const MeshShape shape_;
};

}  // namespace tt::tt_metal::distributed
