#pragma once

#include <optional>
#include <tt-metalium/data_types.hpp>
#include <tt-metalium/experimental/metal2_host_api/advanced_options.hpp>
#include <tt-metalium/experimental/metal2_host_api/utility/group.hpp>
#include <tt-metalium/kernel_types.hpp>

namespace tt::tt_metal::experimental {

// What a data-movement kernel runs on, for each generation of hardware that the program knows.
struct DataMovementHardwareConfig {
  // Wormhole and Blackhole, and what is needed here. The kernels of a node have different
  // processors, one mode, and different networks where these are dedicated.
  struct DataMovement1XXConfig {
    tt::tt_metal::DataMovementProcessor processor;
    tt::tt_metal::NOC noc;
    tt::tt_metal::NOC_MODE noc_mode = tt::tt_metal::NOC_MODE::DM_DEDICATED_NOC;
  };
  std::optional<DataMovement1XXConfig> config_1xx = std::nullopt;

  // Quasar, for which nothing is made here.
  struct DataMovement2XXConfig {
    Group<DFBSpecName> disable_dfb_implicit_sync_for = {};
    bool disable_dfb_implicit_sync_for_all = false;
  };
  std::optional<DataMovement2XXConfig> config_2xx = std::nullopt;
};

// What suits a kernel that reads DRAM, and one that writes it.
inline DataMovementHardwareConfig CreateReaderGen1DataMovementConfig() noexcept {
  return {.config_1xx = DataMovementHardwareConfig::DataMovement1XXConfig{
              .processor = DataMovementProcessor::RISCV_1, .noc = NOC::NOC_0}};
}
inline DataMovementHardwareConfig CreateWriterGen1DataMovementConfig() noexcept {
  return {.config_1xx = DataMovementHardwareConfig::DataMovement1XXConfig{
              .processor = DataMovementProcessor::RISCV_0, .noc = NOC::NOC_1}};
}

}  // namespace tt::tt_metal::experimental
