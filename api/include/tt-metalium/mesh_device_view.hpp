#pragma once

#include <cstddef>
#include <optional>
#include <tt-metalium/device.hpp>
#include <tt-metalium/fabric_node_id.hpp>
#include <tt-metalium/maybe_remote.hpp>
#include <tt-metalium/mesh_coord.hpp>
#include <tt-metalium/shape2d.hpp>
#include <vector>

namespace tt::tt_metal::distributed {

class MeshDevice;

// The devices of a mesh by their places. A value, which owns no device. Thread-safe as long as
// nobody assigns to it. Errors are std::runtime_error.
class MeshDeviceView {
 public:
  // Throws unless there are as many devices, in row-major order, as the shape says.
  MeshDeviceView(const MeshShape& shape, const std::vector<IDevice*>& devices);
  explicit MeshDeviceView(const MeshDevice& mesh_device);  // MeshDevice::get_view()
  // Throws unless the ids are those of the devices, in their order.
  MeshDeviceView(const MeshShape& shape, const std::vector<IDevice*>& devices,
                 const std::vector<tt::tt_fabric::FabricNodeId>& fabric_node_ids);

  // In row-major order. Throws when the range does not lie in the mesh.
  [[nodiscard]] std::vector<IDevice*> get_devices(const MeshCoordinateRange& range) const;
  [[nodiscard]] std::vector<IDevice*> get_devices() const { return devices_.values(); }
  [[nodiscard]] size_t num_devices() const { return devices_.size(); }
  [[nodiscard]] size_t size() const { return devices_.size(); }
  [[nodiscard]] bool empty() const { return devices_.size() == 0; }
  [[nodiscard]] const MeshShape& shape() const noexcept { return devices_.shape(); }
  [[nodiscard]] bool contains(const MeshCoordinate& coord) const noexcept;

  // Goes through the devices in row-major order. Each is local.
  class Iterator {
   public:
    explicit Iterator(IDevice* const* at) : at_(at) {}

    MaybeRemoteDevice operator*() const { return MaybeRemoteDevice::local(*at_); }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    IDevice* const* at_;
  };
  [[nodiscard]] Iterator begin() const { return Iterator(devices_.values().data()); }
  [[nodiscard]] Iterator end() const { return Iterator(devices_.values().data() + size()); }

  // Null where the mesh has no such device.
  [[nodiscard]] IDevice* get_device(const MeshCoordinate& coord) const {
    return contains(coord) ? devices_.at(coord) : nullptr;
  }
  // These throw when the mesh has no such device.
  [[nodiscard]] IDevice* get_device(size_t row, size_t col) const;
  [[nodiscard]] MeshCoordinate find_device(chip_id_t device_id) const;
  [[nodiscard]] chip_id_t find_device_id(const MeshCoordinate& coord) const;
  [[nodiscard]] bool contains_device(chip_id_t device_id) const;
  // Always true: no device belongs to another host.
  [[nodiscard]] bool is_local(const MeshCoordinate& coord) const;

  [[nodiscard]] bool is_mesh_2d() const { return shape().dims() == 2; }
  // These throw unless the mesh has two dimensions, and such a row or column.
  [[nodiscard]] size_t num_rows() const;
  [[nodiscard]] size_t num_cols() const;
  [[nodiscard]] std::vector<IDevice*> get_devices_on_row(size_t row) const;
  [[nodiscard]] std::vector<IDevice*> get_devices_on_column(size_t col) const;
  [[nodiscard]] std::vector<std::vector<IDevice*>> get_row_views() const;
  [[nodiscard]] std::vector<std::vector<IDevice*>> get_column_views() const;

  // Coordinates of which each is a neighbour of the one before. A line goes along the row of the
  // offset, begins at the offset, and comes back along the next row; a ring goes clockwise around
  // the border of a grid that begins at (0, 0), or along the grid if that is a line. These throw
  // when the mesh has too few devices for that, and unless it has two dimensions.
  [[nodiscard]] static std::vector<MeshCoordinate> get_line_coordinates(size_t length,
                                                                        const Shape2D& mesh_shape,
                                                                        const Shape2D& mesh_offset);
  [[nodiscard]] static std::vector<MeshCoordinate> get_ring_coordinates(const Shape2D& ring_shape,
                                                                        const Shape2D& mesh_shape);
  // All devices of the mesh, and its border.
  [[nodiscard]] std::vector<MeshCoordinate> get_line_coordinates() const;
  [[nodiscard]] std::vector<MeshCoordinate> get_ring_coordinates() const;
  [[nodiscard]] std::vector<IDevice*> get_line_devices() const;
  [[nodiscard]] std::vector<IDevice*> get_ring_devices() const;

  // Names of devices in the fabric. These throw where the functions throw that return the devices.
  [[nodiscard]] tt::tt_fabric::MeshId mesh_id() const noexcept { return tt::tt_fabric::MeshId(0); }
  [[nodiscard]] tt::tt_fabric::FabricNodeId get_fabric_node_id(const MeshCoordinate& coord) const;
  [[nodiscard]] std::vector<tt::tt_fabric::FabricNodeId> get_fabric_node_ids(
      const MeshCoordinateRange& range) const;
  [[nodiscard]] std::vector<tt::tt_fabric::FabricNodeId> get_fabric_node_ids() const;
  [[nodiscard]] std::vector<tt::tt_fabric::FabricNodeId> get_fabric_node_ids_on_row(
      size_t row) const;
  [[nodiscard]] std::vector<tt::tt_fabric::FabricNodeId> get_fabric_node_ids_on_column(
      size_t col) const;
  [[nodiscard]] std::vector<tt::tt_fabric::FabricNodeId> get_line_fabric_node_ids() const;
  [[nodiscard]] std::vector<tt::tt_fabric::FabricNodeId> get_ring_fabric_node_ids() const;

  friend bool operator==(const MeshDeviceView&, const MeshDeviceView&) = default;

 private:
  Shape2D shape_2d() const;  // throws unless the mesh has two dimensions
  std::vector<IDevice*> devices_at(const std::vector<MeshCoordinate>& coords) const;

  MeshContainer<IDevice*> devices_;
};

}  // namespace tt::tt_metal::distributed
