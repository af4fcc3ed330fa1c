#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <tt-metalium/fabric_node_id.hpp>  // IWYU pragma: export

// The parameters of SetFabricConfig.
namespace tt::tt_fabric {

enum class FabricConfig : uint32_t {
  DISABLED = 0,
  FABRIC_1D_NEIGHBOR_EXCHANGE = 1,
  FABRIC_1D = 2,
  FABRIC_1D_RING = 3,
  FABRIC_2D = 4,
  FABRIC_2D_TORUS_X = 5,
  FABRIC_2D_TORUS_Y = 6,
  FABRIC_2D_TORUS_XY = 7,
  CUSTOM = 8,
};

enum class FabricReliabilityMode : uint32_t {
  STRICT_SYSTEM_HEALTH_SETUP_MODE = 0,
  RELAXED_SYSTEM_HEALTH_SETUP_MODE = 1,
  DYNAMIC_RECONFIGURATION_SETUP_MODE = 2,
};

enum class FabricTensixConfig : uint32_t { DISABLED = 0, MUX = 1, UDM = 2 };
enum class FabricUDMMode : uint32_t { DISABLED = 0, ENABLED = 1 };
enum class FabricManagerMode : uint32_t {
  INIT_FABRIC = 1,
  TERMINATE_FABRIC = 2,
  ENABLED = 0,
  DEFAULT = 3,
};

struct FabricRouterConfig {
  std::optional<std::size_t> max_packet_payload_size_bytes = std::nullopt;
};

}  // namespace tt::tt_fabric
