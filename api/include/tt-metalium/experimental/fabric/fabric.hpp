#pragma once

#include <cstdint>
#include <optional>
#include <tt-metalium/experimental/fabric/fabric_types.hpp>  // IWYU pragma: export

// The fabric, by which kernels of one chip reach another. There is none here: it can be named and
// left off, and switching it on is refused. Devices with Ethernet wires between them have kernels
// on Ethernet cores (CreateKernel with an EthernetConfig).
namespace tt::tt_fabric {

// Throws std::runtime_error for all but DISABLED, which changes nothing, whatever else it says.
void SetFabricConfig(
    FabricConfig fabric_config,
    FabricReliabilityMode reliability_mode = FabricReliabilityMode::STRICT_SYSTEM_HEALTH_SETUP_MODE,
    std::optional<uint8_t> num_routing_planes = std::nullopt,
    FabricTensixConfig fabric_tensix_config = FabricTensixConfig::DISABLED,
    FabricUDMMode fabric_udm_mode = FabricUDMMode::DISABLED,
    FabricManagerMode fabric_manager = FabricManagerMode::DEFAULT,
    FabricRouterConfig router_config = FabricRouterConfig{});
FabricConfig GetFabricConfig();  // always DISABLED

}  // namespace tt::tt_fabric
