#pragma once

#include <cstdint>

namespace tt {

// What a tile of the chip is. WORKER and ETH are logical views of TENSIX and Ethernet tiles.
enum class CoreType : uint8_t {
  ARC,
  DRAM,
  ACTIVE_ETH,
  IDLE_ETH,
  PCIE,
  TENSIX,
  ROUTER_ONLY,
  HARVESTED,
  ETH,
  WORKER,
};

using chip_id_t = int;
using ChipId = chip_id_t;  // the name since September 2025

}  // namespace tt

using tt::chip_id_t;
using tt::CoreType;

namespace tt::tt_metal {

// An address within a bank, or a size there, in bytes.
using DeviceAddr = uint64_t;

}  // namespace tt::tt_metal
