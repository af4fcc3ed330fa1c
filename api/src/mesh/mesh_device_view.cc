#include <algorithm>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/mesh_device.hpp>
#include <tt-metalium/mesh_device_view.hpp>

namespace tt::tt_metal::distributed {
namespace {

using tt::tt_fabric::FabricNodeId;

FabricNodeId fabric_node_of(const IDevice& device) {
  return FabricNodeId(tt::tt_fabric::MeshId(0), static_cast<uint32_t>(device.id()));
}

std::vector<FabricNodeId> fabric_nodes_of(const std::vector<IDevice*>& devices) {
  std::vector<FabricNodeId> ids;
  for (const IDevice* device : devices) ids.push_back(fabric_node_of(*device));
  return ids;
}

MeshCoordinate coordinate(size_t row, size_t col) {
  return {static_cast<uint32_t>(row), static_cast<uint32_t>(col)};
}

}  // namespace

MeshDeviceView::MeshDeviceView(const MeshShape& shape, const std::vector<IDevice*>& devices)
    : devices_(shape, devices) {}

MeshDeviceView::MeshDeviceView(const MeshDevice& mesh_device)
    : MeshDeviceView(mesh_device.get_view()) {}

MeshDeviceView::MeshDeviceView(const MeshShape& shape, const std::vector<IDevice*>& devices,
                               const std::vector<FabricNodeId>& fabric_node_ids)
    : MeshDeviceView(shape, devices) {
  TT_FATAL(fabric_node_ids == fabric_nodes_of(devices),
           "The fabric has other names for the devices of the mesh of {}", shape);
}

std::vector<IDevice*> MeshDeviceView::get_devices(const MeshCoordinateRange& range) const {
  std::vector<IDevice*> devices;
  for (const MeshCoordinate& coord : range) devices.push_back(devices_.at(coord));
  return devices;
}

bool MeshDeviceView::contains(const MeshCoordinate& coord) const noexcept {
  if (coord.dims() != shape().dims()) return false;
  return std::ranges::equal(coord.coords(), shape().view(),
                            [](uint32_t at, uint32_t size) { return at < size; });
}

IDevice* MeshDeviceView::get_device(size_t row, size_t col) const {
  // Before the numbers become those of a coordinate, which are smaller.
  TT_FATAL(row < num_rows() && col < num_cols(), "({}, {}) lies outside of a mesh of {}", row, col,
           shape());
  return get_device(coordinate(row, col));
}

bool MeshDeviceView::contains_device(chip_id_t device_id) const {
  return std::ranges::any_of(devices_.values(),
                             [&](const IDevice* device) { return device->id() == device_id; });
}

MeshCoordinate MeshDeviceView::find_device(chip_id_t device_id) const {
  for (const auto& [coord, device] : devices_) {
    if (device->id() == device_id) return coord;
  }
  TT_THROW("Device {} is not in the mesh", device_id);
}

chip_id_t MeshDeviceView::find_device_id(const MeshCoordinate& coord) const {
  return devices_.at(coord)->id();
}

bool MeshDeviceView::is_local(const MeshCoordinate& coord) const {
  return devices_.at(coord) != nullptr;
}

Shape2D MeshDeviceView::shape_2d() const {
  TT_FATAL(is_mesh_2d(), "A mesh of {} has no rows and columns: it has {} dimensions", shape(),
           shape().dims());
  return {shape()[0], shape()[1]};
}

size_t MeshDeviceView::num_rows() const { return shape_2d().height(); }
size_t MeshDeviceView::num_cols() const { return shape_2d().width(); }

std::vector<IDevice*> MeshDeviceView::get_devices_on_row(size_t row) const {
  return get_devices({coordinate(row, 0), coordinate(row, num_cols() - 1)});
}

std::vector<IDevice*> MeshDeviceView::get_devices_on_column(size_t col) const {
  return get_devices({coordinate(0, col), coordinate(num_rows() - 1, col)});
}

std::vector<std::vector<IDevice*>> MeshDeviceView::get_row_views() const {
  std::vector<std::vector<IDevice*>> rows;
  for (size_t row = 0; row < num_rows(); ++row) rows.push_back(get_devices_on_row(row));
  return rows;
}

std::vector<std::vector<IDevice*>> MeshDeviceView::get_column_views() const {
  std::vector<std::vector<IDevice*>> columns;
  for (size_t col = 0; col < num_cols(); ++col) columns.push_back(get_devices_on_column(col));
  return columns;
}

std::vector<MeshCoordinate> MeshDeviceView::get_line_coordinates(size_t length,
                                                                 const Shape2D& mesh_shape,
                                                                 const Shape2D& mesh_offset) {
  const bool begins_inside =
      mesh_offset.height() < mesh_shape.height() && mesh_offset.width() < mesh_shape.width();
  std::vector<MeshCoordinate> line;
  bool to_the_right = true;
  size_t col = mesh_offset.width();
  for (size_t row = mesh_offset.height(); begins_inside && row < mesh_shape.height(); ++row) {
    // What is left of the row in the direction of the line.
    const size_t count = to_the_right ? mesh_shape.width() - col : col + 1;
    for (size_t i = 0; i < count && line.size() < length; ++i) {
      line.push_back(coordinate(row, to_the_right ? col + i : col - i));
    }
    col = to_the_right ? mesh_shape.width() - 1 : 0;
    to_the_right = !to_the_right;
  }
  TT_FATAL(begins_inside && line.size() == length,
           "A line of {} devices does not fit a mesh of {}x{} from ({}, {}) on", length,
           mesh_shape.height(), mesh_shape.width(), mesh_offset.height(), mesh_offset.width());
  return line;
}

std::vector<MeshCoordinate> MeshDeviceView::get_ring_coordinates(const Shape2D& ring_shape,
                                                                 const Shape2D& mesh_shape) {
  const size_t rows = ring_shape.height(), cols = ring_shape.width();
  TT_FATAL(rows > 0 && cols > 0 && rows <= mesh_shape.height() && cols <= mesh_shape.width(),
           "A ring of {}x{} devices does not fit a mesh of {}x{}", rows, cols, mesh_shape.height(),
           mesh_shape.width());
  std::vector<MeshCoordinate> ring;
  for (size_t col = 0; col < cols; ++col) ring.push_back(coordinate(0, col));
  for (size_t row = 1; row < rows; ++row) ring.push_back(coordinate(row, cols - 1));
  if (rows == 1 || cols == 1) return ring;
  for (size_t col = cols - 1; col-- > 0;) ring.push_back(coordinate(rows - 1, col));
  for (size_t row = rows - 1; row-- > 1;) ring.push_back(coordinate(row, 0));
  return ring;
}

std::vector<IDevice*> MeshDeviceView::devices_at(const std::vector<MeshCoordinate>& coords) const {
  std::vector<IDevice*> devices;
  for (const MeshCoordinate& coord : coords) devices.push_back(devices_.at(coord));
  return devices;
}

std::vector<MeshCoordinate> MeshDeviceView::get_line_coordinates() const {
  return get_line_coordinates(num_devices(), shape_2d(), {0, 0});
}

std::vector<MeshCoordinate> MeshDeviceView::get_ring_coordinates() const {
  return get_ring_coordinates(shape_2d(), shape_2d());
}

std::vector<IDevice*> MeshDeviceView::get_line_devices() const {
  return devices_at(get_line_coordinates());
}

std::vector<IDevice*> MeshDeviceView::get_ring_devices() const {
  return devices_at(get_ring_coordinates());
}

FabricNodeId MeshDeviceView::get_fabric_node_id(const MeshCoordinate& coord) const {
  return fabric_node_of(*devices_.at(coord));
}
std::vector<FabricNodeId> MeshDeviceView::get_fabric_node_ids(
    const MeshCoordinateRange& range) const {
  return fabric_nodes_of(get_devices(range));
}
std::vector<FabricNodeId> MeshDeviceView::get_fabric_node_ids() const {
  return fabric_nodes_of(get_devices());
}
std::vector<FabricNodeId> MeshDeviceView::get_fabric_node_ids_on_row(size_t row) const {
  return fabric_nodes_of(get_devices_on_row(row));
}
std::vector<FabricNodeId> MeshDeviceView::get_fabric_node_ids_on_column(size_t col) const {
  return fabric_nodes_of(get_devices_on_column(col));
}
std::vector<FabricNodeId> MeshDeviceView::get_line_fabric_node_ids() const {
  return fabric_nodes_of(get_line_devices());
}
std::vector<FabricNodeId> MeshDeviceView::get_ring_fabric_node_ids() const {
  return fabric_nodes_of(get_ring_devices());
}

}  // namespace tt::tt_metal::distributed
