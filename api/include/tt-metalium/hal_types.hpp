#pragma once

#include <cstdint>

namespace tt::tt_metal {

enum class HalProgrammableCoreType : uint8_t {
  TENSIX = 0,
  ACTIVE_ETH = 1,
  IDLE_ETH = 2,
  COUNT = 3
};

enum class HalMemType : uint8_t { L1 = 0, DRAM = 1, HOST = 2, COUNT = 3 };

// Regions of memory. Upstream's others belong to its firmware, of which there is none.
enum class HalL1MemAddrType : uint8_t { BASE = 0, UNRESERVED = 8 };
enum class HalDramMemAddrType : uint8_t { UNRESERVED = 1 };

}  // namespace tt::tt_metal

// What upstream's header of early 2025 had, too. It needs the types, so it stands at the end.
#include <tt-metalium/hal.hpp>  // IWYU pragma: export
