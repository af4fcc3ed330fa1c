#pragma once

#include "lightmetal_kernel_abi.h"

// What Ethernet kernels do with the wire to the core at its other end.
namespace lightmetal::kernel_abi {

// A wire moves words of this many bytes: addresses and sizes are multiples of it.
inline constexpr uint32_t kEthernetWord = 16;
// L1 layout of Ethernet cores, beside the layout that they share with workers: a word that belongs
// to kernels, then a word of synchronisation for each channel.
inline constexpr uint32_t kEthernetInfoAddress = 0x1000;
inline constexpr uint32_t kEthernetChannels = 8;
inline constexpr uint32_t kEthernetInfoSize = kEthernetWord * (1 + kEthernetChannels);
// DeviceProfile::ethernet_unreserved_base and ethernet_l1_size, which kernels know as constants.
inline constexpr uint32_t kEthernetUnreservedBase = 0x8000;
inline constexpr uint32_t kEthernetL1Size = 0x40000;

enum class WordTest : uint32_t { kEqual = 0, kAtLeast = 1, kAtMost = 2 };

// All calls fail the launch when the core has no wire or the chip at its other end is not open.
struct EthernetServices {
  // Copies from this core's L1 to the other core's; what was sent before is there before it.
  void (*send)(Context*, uint32_t l1_source, uint32_t l1_target, uint32_t size);
  // Writes one word of four bytes of the other core's L1.
  void (*write_word)(Context*, uint32_t l1_target, uint32_t value);
  // (blocks) until the word of this core's L1 compares so; for words that the other core writes.
  void (*wait_for_word)(Context*, uint32_t l1_address, uint32_t value, WordTest test);
};

}  // namespace lightmetal::kernel_abi
