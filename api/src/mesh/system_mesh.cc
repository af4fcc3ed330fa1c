#include <algorithm>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/system_mesh.hpp>

namespace tt::tt_metal::distributed {
namespace {

MeshShape shape_of(uint32_t devices) {
  uint32_t rows = 1;
  for (uint32_t r = 1; r * r <= devices; ++r) {
    if (devices % r == 0) rows = r;
  }
  return MeshShape(rows, devices / rows);
}

// Where a mesh of that shape ends; none when it does not lie in `within`.
std::optional<MeshCoordinateRange> range_in(const MeshShape& within, const MeshCoordinate& offset,
                                            const MeshShape& shape) {
  if (shape.dims() != within.dims() || offset.dims() != within.dims()) return std::nullopt;
  MeshCoordinate end = offset;
  for (int32_t dim = 0; dim < static_cast<int32_t>(shape.dims()); ++dim) {
    // In 64 bits, because both numbers are the caller's.
    const uint64_t behind = uint64_t{offset[dim]} + shape[dim];
    if (shape[dim] == 0 || behind > within[dim]) return std::nullopt;
    end[dim] = static_cast<uint32_t>(behind - 1);
  }
  return MeshCoordinateRange(offset, end);
}

}  // namespace

const SystemMesh& SystemMesh::instance() {
  static const SystemMesh mesh(shape_of(static_cast<uint32_t>(GetNumAvailableDevices())));
  return mesh;
}

int SystemMesh::get_physical_device_id(const MeshCoordinate& coord) const {
  return static_cast<int>(coord.to_linear_index(shape_));
}

SystemMesh::MappedDevices SystemMesh::get_mapped_devices(
    const std::optional<MeshShape>& shape, const std::optional<MeshCoordinate>& offset) const {
  MappedDevices mapped{
      .device_ids = {}, .fabric_node_ids = {}, .mesh_shape = shape.value_or(shape_)};
  const auto add = [&](int id) {
    mapped.device_ids.push_back(id);
    mapped.fabric_node_ids.emplace_back(tt::tt_fabric::MeshId(0), static_cast<uint32_t>(id));
  };
  const auto begin = offset.value_or(MeshCoordinate::zero_coordinate(shape_.dims()));
  if (const auto range = range_in(shape_, begin, mapped.mesh_shape)) {
    for (const MeshCoordinate& coord : *range) add(get_physical_device_id(coord));
    return mapped;
  }
  const size_t size = mapped.mesh_shape.mesh_size();
  TT_FATAL(!offset && size > 0 && size <= shape_.mesh_size(),
           "A mesh of {} from {} on does not fit the devices that there are, a mesh of {}",
           mapped.mesh_shape, begin, shape_);
  for (size_t id = 0; id < size; ++id) add(static_cast<int>(id));
  return mapped;
}

}  // namespace tt::tt_metal::distributed
