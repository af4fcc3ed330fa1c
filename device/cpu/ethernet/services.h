#pragma once

#include <string>

#include "device/cpu/kernels/kernel_run.h"
#include "device/kernel_abi/lightmetal_kernel_abi_ethernet.h"

namespace lightmetal::device::cpu {

// What Ethernet kernels call (lightmetal_kernel_abi_ethernet.h).
const kernel_abi::EthernetServices& ethernet_services();

// "the wire to Ethernet core (0,2) of device 1", and why it carries nothing when that is so.
std::string wire_name(const CoreState& core);

// "bytes_sent of channel 3" for a word of an Ethernet core's channels; else empty.
std::string channel_word_name(uint32_t l1_address);

}  // namespace lightmetal::device::cpu
