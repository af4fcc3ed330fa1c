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
    tt::tt_metal::DataMovementProcessor processor = tt::tt_metal::DataMovementProcessor::RISCV_0;
    tt::tt_metal::NOC noc = tt::tt_metal::NOC::RISCV_0_default;
    tt::tt_metal::NOC_MODE noc_mode = tt::tt_metal::NOC_MODE::DM_DEDICATED_NOC;
  };
  std::optional<DataMovement1XXConfig> config_1xx = std::nullopt;

  // Quasar, for which nothing is made here.
  struct DataMovement2XXConfig {
    Group<DFBSpecName> disable_dfb_implicit_sync_for = {};
    bool disable_dfb_implicit_sync_for_all = false;
    Group<DFBSpecName> disable_implicit_sync_for = {};  // its name of June 2026
  };
  std::optional<DataMovement2XXConfig> config_2xx = std::nullopt;

  // The fields of June 2026, which count where config_1xx is not set: gen1_config, or what suits
  // the role.
  enum class RoleHint { READER, WRITER, UNSPECIFIED };
  RoleHint role = RoleHint::UNSPECIFIED;
  using Gen1Config = DataMovement1XXConfig;
  std::optional<Gen1Config> gen1_config = std::nullopt;
  using Gen2Config = DataMovement2XXConfig;
  std::optional<Gen2Config> gen2_config = std::nullopt;
};

using DataMovementRoleHint = DataMovementHardwareConfig::RoleHint;

// The configurations of July 2026, one for each generation of hardware. Each of them is a
// DataMovementHardwareConfig where one is expected.
struct DataMovementGen1Config {
  tt::tt_metal::DataMovementProcessor processor = tt::tt_metal::DataMovementProcessor::RISCV_0;
  tt::tt_metal::NOC noc = tt::tt_metal::NOC::RISCV_0_default;
  tt::tt_metal::NOC_MODE noc_mode = tt::tt_metal::NOC_MODE::DM_DEDICATED_NOC;

  operator DataMovementHardwareConfig() const {
    return {.config_1xx = DataMovementHardwareConfig::DataMovement1XXConfig{
                .processor = processor, .noc = noc, .noc_mode = noc_mode}};
  }
};

struct DataMovementGen2Config {
  Group<DFBSpecName> disable_dfb_implicit_sync_for = {};
  bool disable_dfb_implicit_sync_for_all = false;

  operator DataMovementHardwareConfig() const {
    return {.config_2xx = DataMovementHardwareConfig::DataMovement2XXConfig{
                .disable_dfb_implicit_sync_for = disable_dfb_implicit_sync_for,
                .disable_dfb_implicit_sync_for_all = disable_dfb_implicit_sync_for_all}};
  }
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
// Their names of early July 2026.
inline DataMovementHardwareConfig CreateReader1xxDataMovementConfig() noexcept {
  return CreateReaderGen1DataMovementConfig();
}
inline DataMovementHardwareConfig CreateWriter1xxDataMovementConfig() noexcept {
  return CreateWriterGen1DataMovementConfig();
}

}  // namespace tt::tt_metal::experimental
