#pragma once

#include <cstdint>
#include <tt-metalium/tt_backend_api_types.hpp>  // IWYU pragma: export

namespace tt::tt_metal {

// The two data movement processors of a worker core.
enum class DataMovementProcessor : uint8_t {
  RISCV_0 = 0,
  RISCV_1 = 1,
};

// The network on chip that a kernel uses unless it says otherwise.
enum NOC : uint8_t {
  RISCV_0_default = 0,
  RISCV_1_default = 1,
  NOC_0 = 0,
  NOC_1 = 1,
};

enum NOC_MODE : uint8_t {
  DM_DEDICATED_NOC = 0,  // each data movement kernel of a core has a network of its own
  DM_DYNAMIC_NOC = 1,    // both kernels may use both networks
};

// What an Ethernet kernel is for. IDLE: a core without a wire; its kernel is compiled with
// COMPILE_FOR_IDLE_ERISC.
enum Eth : uint8_t {
  SENDER = 0,
  RECEIVER = 1,
  IDLE = 2,
};

}  // namespace tt::tt_metal
