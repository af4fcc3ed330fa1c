#include <tt-metalium/assert.hpp>
#include <tt-metalium/experimental/fabric/fabric.hpp>

namespace tt::tt_fabric {

void SetFabricConfig(FabricConfig fabric_config, FabricReliabilityMode /*reliability_mode*/,
                     std::optional<uint8_t> /*num_routing_planes*/,
                     FabricTensixConfig /*fabric_tensix_config*/, FabricUDMMode /*fabric_udm_mode*/,
                     FabricManagerMode /*fabric_manager*/, FabricRouterConfig /*router_config*/) {
  TT_FATAL(
      fabric_config == FabricConfig::DISABLED,
      "The fabric (configuration {}) cannot be switched on: devices of a mesh work alone here, "
      "and programs whose kernels send to other chips by the fabric do not run",
      static_cast<uint32_t>(fabric_config));
}

FabricConfig GetFabricConfig() { return FabricConfig::DISABLED; }

}  // namespace tt::tt_fabric
