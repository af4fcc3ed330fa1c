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
  // Of later chips, and values that are no type. Files hold the numbers above.
  SECURITY,
  L2CPU,
  DISPATCH,
  COUNT,
  UNSPECIFIED,
};

// A chip by its number, and an Ethernet core of a chip by its number; upstream's names of 2024 and
// of late 2025.
using chip_id_t = int;
using ChipId = int;
using ethernet_channel_t = int;
using EthernetChannel = int;

}  // namespace tt

using tt::chip_id_t;
using tt::CoreType;
using tt::ethernet_channel_t;

namespace tt::umd {

using tt::chip_id_t;
using tt::CoreType;
using tt::ethernet_channel_t;

}  // namespace tt::umd

namespace tt::tt_metal::distributed {

using tt::chip_id_t;
using tt::ChipId;

}  // namespace tt::tt_metal::distributed

namespace tt::tt_metal {

// An address within a bank, or a size there, in bytes.
using DeviceAddr = uint64_t;

}  // namespace tt::tt_metal
