#pragma once

#include <compare>
#include <cstdint>
#include <ostream>
#include <tt-metalium/strong_type.hpp>

namespace tt::tt_fabric {

// A mesh of the fabric. There is one here, MeshId(0), which has all devices.
using MeshId = tt::stl::StrongType<uint32_t, struct MeshIdTag>;

// The name of a device in the fabric. `chip_id` is the id of the device.
class FabricNodeId {
 public:
  explicit FabricNodeId(MeshId mesh_id_val, uint32_t chip_id_val)
      : mesh_id(mesh_id_val), chip_id(chip_id_val) {}

  MeshId mesh_id{0};
  uint32_t chip_id = 0;

  friend bool operator==(const FabricNodeId&, const FabricNodeId&) = default;
  friend auto operator<=>(const FabricNodeId&, const FabricNodeId&) = default;
};

// Writes "(mesh 0, chip 3)".
inline std::ostream& operator<<(std::ostream& os, const FabricNodeId& fabric_node_id) {
  return os << "(mesh " << *fabric_node_id.mesh_id << ", chip " << fabric_node_id.chip_id << ")";
}

}  // namespace tt::tt_fabric
