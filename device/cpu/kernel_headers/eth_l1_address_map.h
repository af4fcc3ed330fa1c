#pragma once

#include <cstdint>

#include "lightmetal_kernel_abi_ethernet.h"

// Where things are in the L1 of an Ethernet core.
namespace eth_l1_mem {

struct address_map {
  static constexpr uint32_t MAX_SIZE = lightmetal::kernel_abi::kEthernetL1Size;
  static constexpr uint32_t MAX_L1_LOADING_SIZE = MAX_SIZE;
  static constexpr uint32_t ERISC_APP_SYNC_INFO_BASE = lightmetal::kernel_abi::kEthernetInfoAddress;
  static constexpr uint32_t MAX_NUM_CONCURRENT_TRANSACTIONS =
      lightmetal::kernel_abi::kEthernetChannels;
  static constexpr uint32_t ERISC_L1_UNRESERVED_BASE =
      lightmetal::kernel_abi::kEthernetUnreservedBase;
  static constexpr uint32_t ERISC_L1_UNRESERVED_SIZE = MAX_SIZE - ERISC_L1_UNRESERVED_BASE;
};

}  // namespace eth_l1_mem
