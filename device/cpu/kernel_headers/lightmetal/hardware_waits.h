#pragma once

#include "compute_kernel_api/reg_api.h"
#include "lightmetal/compute.h"
#include "lightmetal/refused_hardware.h"

// How a kernel of 2026 lets its packing processor compute on DST: it waits for the processor that
// does the math, turns to the part of DST that this one has filled, and has the packer wait for
// the vector unit. An object that does all three does all of it in its order, so each wait has
// ended. It turns back to the part that is free at the next call about DST (DstCall). Other
// instructions of the hardware are refused (lightmetal/refused_hardware.h).
namespace lightmetal::kernel {

struct MathPackSemaphore {};
struct MathOffsetRegister {};

}  // namespace lightmetal::kernel

namespace ckernel {

// What is stopped, and until when.
struct p_stall {
  enum : uint32_t {
    NONE = 0,
    STALL_TDMA = 1,
    STALL_CFG = 2,
    STALL_PACK = 4,
    STALL_SFPU = 8,
    STALL_SYNC = 16,
    STALL_ON_ZERO = 32,
    WAIT_SFPU = 64,
    MATH = 128,
    STALL_MATH = 256,
    STALL_UNPACK = 512,
    STALL_THCON = 1024,
    THCON = 2048,
    UNPACK = 4096,
    PACK = 8192,
    TRISC_CFG = 16384,
    SFPU1 = 32768
  };
};

struct semaphore {
  static constexpr lightmetal::kernel::MathPackSemaphore MATH_PACK = {};
  enum : uint8_t {
    FPU_SFPU = 0,
    UNPACK_TO_DEST = 2,
    UNPACK_OPERAND_SYNC = 3,
    PACK_DONE = 4,
    UNPACK_SYNC = 5,
    UNPACK_MATH_DONE = 6,
    MATH_DONE = 7
  };

  static constexpr lightmetal::kernel::MathPackSemaphore t6_sem(
      lightmetal::kernel::MathPackSemaphore index) {
    return index;
  }
};

namespace packer {
ALWI uint32_t get_packer_dest_offset() { return lightmetal::kernel::context()->dst_pack_first; }
}  // namespace packer

inline constexpr lightmetal::kernel::MathOffsetRegister DEST_TARGET_REG_CFG_MATH_Offset_ADDR32 = {};

ALWI void TTI_SEMWAIT(uint32_t stalled, lightmetal::kernel::MathPackSemaphore, uint32_t condition) {
  tile_regs_wait();
}
ALWI void TTI_STALLWAIT(uint32_t stalled, uint32_t condition) {}
ALWI void TT_SETC16(lightmetal::kernel::MathOffsetRegister, uint32_t offset) {
  using namespace lightmetal::kernel;
  if constexpr (kIsPart && kPacks) {
    context()->services->parts->packer_computes(context(), 1);
  } else {
    context()->dst_first = offset;
  }
}

}  // namespace ckernel
