#pragma once

#include <cstdint>
#include <string>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/core_types.hpp>            // IWYU pragma: export
#include <tt-metalium/tt_backend_api_types.hpp>  // IWYU pragma: export
#include <tt-metalium/utils.hpp>                 // IWYU pragma: export

namespace tt::tt_metal {

enum class HalProgrammableCoreType : uint8_t {
  TENSIX = 0,
  ACTIVE_ETH = 1,
  IDLE_ETH = 2,
  COUNT = 3
};

enum class HalMemType : uint8_t { L1 = 0, DRAM = 1, HOST = 2, COUNT = 3 };

// Regions of memory. Upstream has more; they belong to its firmware, of which there is none here.
// UNRESERVED and DEFAULT_UNRESERVED are one region.
enum class HalL1MemAddrType : uint8_t { BASE = 0, UNRESERVED = 8, DEFAULT_UNRESERVED = 9 };
enum class HalDramMemAddrType : uint8_t { UNRESERVED = 1 };

// What a program asks about the chip before it has opened a device: the profile of the devices that
// this process opens, which LIGHTMETAL_DEVICE_PROFILE names. Throws std::runtime_error where that
// variable names none. Sizes and alignments are in bytes.
//
// Upstream has an object of this name in early 2025 (hal.get_alignment(...)) and a namespace later
// (hal::get_l1_size()): this is a class and an object of it, so both forms compile.
struct hal {
  static tt::ARCH get_arch();
  static std::string get_arch_name();  // "wormhole_b0" or "blackhole"

  // Circular buffers, which are the dataflow buffers of this generation, of a core: 32 on Wormhole,
  // 64 on Blackhole.
  static uint32_t get_num_dataflow_buffers();
  static uint32_t get_arch_num_circular_buffers();  // its older name

  static uint32_t get_l1_size();
  static uint32_t get_dram_alignment();
  static uint32_t get_l1_alignment();
  static uint32_t get_pcie_alignment();
  static uint32_t get_alignment(HalMemType memory);
  // Where a region begins in the L1 of each core of a kind, or in each DRAM bank, and how long it
  // is. BASE is all of the L1.
  static DeviceAddr get_dev_addr(HalProgrammableCoreType core_type, HalL1MemAddrType region);
  static uint32_t get_dev_size(HalProgrammableCoreType core_type, HalL1MemAddrType region);
  static DeviceAddr get_dev_addr(HalDramMemAddrType region);
  static uint32_t get_dev_size(HalDramMemAddrType region);
  // The part of an Ethernet core's L1 that programs may use.
  static uint32_t get_erisc_l1_unreserved_base();
  static uint32_t get_erisc_l1_unreserved_size();
  // The part of a worker core's L1 that buffers and circular buffers may use.
  static uint32_t get_max_worker_l1_unreserved_size();

  // The vector unit's machine epsilon, a NaN, and infinity.
  static float get_eps();
  static float get_nan();
  static float get_inf();
};

inline constexpr struct hal hal {};

}  // namespace tt::tt_metal
