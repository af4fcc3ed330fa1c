#pragma once

#include <cstdint>

// Where host programs may put data in the L1 of Ethernet cores. In bytes.
namespace eth_l1_mem {

struct address_map {
  static constexpr uint32_t MAX_SIZE = 0x40000;
  static constexpr uint32_t MAX_L1_LOADING_SIZE = MAX_SIZE;
  static constexpr uint32_t MAX_NUM_CONCURRENT_TRANSACTIONS = 8;
  static constexpr uint32_t ERISC_L1_UNRESERVED_BASE = 0x8000;
  static constexpr uint32_t ERISC_L1_UNRESERVED_SIZE = MAX_SIZE - ERISC_L1_UNRESERVED_BASE;
};

}  // namespace eth_l1_mem
