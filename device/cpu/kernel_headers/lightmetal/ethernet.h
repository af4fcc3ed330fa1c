#pragma once

#include "eth_l1_address_map.h"
#include "lightmetal/kernel.h"

// What both ends of an Ethernet channel know of it. Each end has a copy in its L1, at the same
// address; an end that changes its copy sends it to the other.

struct eth_channel_sync_t {
  // The sender counts the bytes on their way; the receiver puts 0 when it needs them no more.
  volatile uint32_t bytes_sent;
  // Not 0: the receiver has seen the bytes, and the sender may use their source again.
  volatile uint32_t receiver_ack;
  volatile uint32_t src_id;  // kernels' own, as is the next
  uint32_t reserved_2;
};

struct erisc_info_t {
  volatile uint32_t launch_user_kernel;
  volatile uint32_t unused_arg0;
  volatile uint32_t unused_arg1;
  volatile uint32_t unused_arg2;
  volatile eth_channel_sync_t channels[eth_l1_mem::address_map::MAX_NUM_CONCURRENT_TRANSACTIONS];
};

static_assert(sizeof(eth_channel_sync_t) == lightmetal::kernel_abi::kEthernetWord);
static_assert(sizeof(erisc_info_t) == lightmetal::kernel_abi::kEthernetInfoSize);

namespace lightmetal::kernel {

// Behaves as a pointer to the core's own erisc_info_t.
struct EriscInfo {
  FORCE_INLINE operator erisc_info_t*() const {
    return reinterpret_cast<erisc_info_t*>(uint64_t{kernel_abi::kEthernetInfoAddress});
  }
  FORCE_INLINE erisc_info_t* operator->() const { return *this; }
};

FORCE_INLINE volatile eth_channel_sync_t& channel_sync(uint32_t channel) {
  if (channel >= kernel_abi::kEthernetChannels) fail("Ethernet channels are 0 to 7");
  erisc_info_t* info = EriscInfo();
  return info->channels[channel];
}

FORCE_INLINE void ethernet_send(uint32_t source, uint32_t target, uint32_t size) {
  context()->services->ethernet->send(context(), source, target, size);
}

// Sends this end's copy of the 16 bytes at a pointer to the other end's.
template <typename T>
FORCE_INLINE void ethernet_share(const volatile T* word) {
  ethernet_send(l1_address(word), l1_address(word), kernel_abi::kEthernetWord);
}

// Waits for a word that the other end writes.
FORCE_INLINE void ethernet_wait(const volatile uint32_t* word, uint32_t value,
                                kernel_abi::WordTest test = kernel_abi::WordTest::kEqual) {
  context()->services->ethernet->wait_for_word(context(), l1_address(word), value, test);
}

}  // namespace lightmetal::kernel

inline constexpr lightmetal::kernel::EriscInfo erisc_info;
